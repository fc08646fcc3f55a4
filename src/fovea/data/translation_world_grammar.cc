#include "fovea/data/translation_world_grammar.h"

#include <algorithm>
#include <cassert>

#include "fovea/data/translation_world_determiners.h"
#include "fovea/data/translation_world_phrases.h"
#include "fovea/data/translation_world_speech.h"
#include "fovea/data/translation_world_words.h"

namespace fovea::world {
namespace {

using Words = std::vector<FrenchWord>;

constexpr std::size_t at(auto value) { return static_cast<std::size_t>(value); }

void append(Words& words, Words more) {
  words.insert(words.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// Who does something, for the words that agree with it.
struct Subject {
  Features features;
  int head = -1;  // its English word
};

struct Said {
  Words words;
  int head;
};

// The English words of a verb, by what they become in French.
struct VerbWords {
  int verb = -1, particle = -1, modal = -1, to = -1;
  std::vector<int> helpers;   // do, will, is
  std::vector<int> negation;  // not, never, no longer
  Words frequency;
};

std::string agreeing(std::string participle, const Features& with) {
  if (with.gender == Gender::kFeminine) participle += "e";
  if (with.number == Number::kPlural && !participle.ends_with('s')) participle += "s";
  return participle;
}

// Says a tree: English word by word in its order, French as pieces that its own order puts
// together.
class Speaker {
 public:
  WorldPair sentence(const Sentence& sentence);

 private:
  int say(std::string_view word) {
    english_.emplace_back(word);
    return static_cast<int>(english_.size()) - 1;
  }
  Words phrase(const Phrase& phrase);

  Said noun_phrase(const NounPhrase& p, const VerbWords* denied_by = nullptr);
  Said noun(const NounPhrase& p, const VerbWords* denied_by);
  Words relative(const NounPhrase& p, int head);

  Words clause(const Clause& c);
  Words subordinate(const Subordinate& s);
  Words predicates(const std::vector<Predicate>& list, const Subject& subject,
                   const Features* gap = nullptr);
  Words predicate(const Predicate& p, const Subject& subject, const Features* gap, bool will_said);
  Words objects(const Predicate& p, const VerbWords& v, Words& clitics);
  Words rest(const Predicate& p, const Subject& subject);

  VerbWords english_verb(const Predicate& p, Person person, bool will_said);
  void english_finite(const Predicate& p, const Verb& verb, Person person, bool will_said,
                      VerbWords& v);
  void deny(const Predicate& p, VerbWords& v);
  Words verb_group(const Predicate& p, const Subject& subject, const VerbWords& v, Words clitics,
                   const Features* preceding) const;
  Words object_pronoun(const NounPhrase& p, bool indirect, int particle);

  std::vector<std::string> english_;
};

Words Speaker::phrase(const Phrase& phrase) {
  std::vector<int> ids;
  for (const std::string_view word : phrase.english) ids.push_back(say(word));
  Words words;
  for (const std::string_view word : phrase.french) words.emplace_back(word);
  for (const Phrase::Link& link : phrase.links) {
    FrenchWord& word = words[at(link.french)];
    const int id = ids[at(link.english)];
    link.sure ? word.translates(id) : word.depends_on(id);
  }
  return words;
}

// ---- Nouns ----

Said Speaker::noun_phrase(const NounPhrase& p, const VerbWords* denied_by) {
  Said result;
  if (p.pronoun != Pronoun::kNone) {
    constexpr std::string_view kEnglish[] = {"", "I", "you", "he", "she", "we", "they", "it"};
    constexpr std::string_view kFrench[] = {"", "je", "vous", "il", "elle", "nous", "ils", "il"};
    result.head = say(kEnglish[at(p.pronoun)]);
    result.words = {FrenchWord(kFrench[at(p.pronoun)]).translates(result.head)};
  } else if (p.name != nullptr) {
    result.head = say(p.name->text);
    result.words = {FrenchWord(p.name->text).translates(result.head)};
  } else {
    result = noun(p, denied_by);
  }
  for (const NounPhrase& other : p.more) {
    append(result.words, phrase(conjunction("and")));
    append(result.words, noun_phrase(other).words);
  }
  append(result.words, relative(p, result.head));
  return result;
}

Said Speaker::noun(const NounPhrase& p, const VerbWords* denied_by) {
  const bool plural = p.number == Number::kPlural;
  Words owner;
  std::vector<int> det;
  if (p.owner.empty()) {
    for (const std::string_view word : english_determiner(p, denied_by != nullptr))
      det.push_back(say(word));
  } else {
    owner = noun_phrase(p.owner[0]).words;
    det = {say("'s")};
    owner.insert(owner.begin(), FrenchWord("de").translates(det[0]));
  }
  std::vector<int> adjectives;
  for (const Adjective* adjective : p.adjectives) adjectives.push_back(say(adjective->english));
  const int head = say(plural ? p.noun->english_plural : p.noun->english);

  Words before, after;
  std::string next(plural ? p.noun->french_plural : p.noun->french);
  for (std::size_t i = 0; i < p.adjectives.size(); ++i) {
    const Adjective& adjective = *p.adjectives[i];
    std::string form = adjective.form(p.noun->gender, p.number);
    const bool masculine = p.noun->gender == Gender::kMasculine;
    if (adjective.before_noun && masculine && !plural && !adjective.before_vowel.empty() &&
        french_vowel_sound(next)) {
      form = adjective.before_vowel;
    }
    (adjective.before_noun ? before : after)
        .push_back(FrenchWord(form).translates(adjectives[i]).depends_on(head));
  }
  before.push_back(FrenchWord(next).translates(head));
  append(before, std::move(after));
  if (p.content != nullptr) {
    const int of = say("of");
    before.push_back(FrenchWord("de").translates(of));
    before.push_back(FrenchWord(p.content->french).translates(say(p.content->english)));
  }
  const std::vector<int> none;
  Words words = french_determiner(p, {.english = det,
                                      .noun = head,
                                      .next = before[0].text,
                                      .denied_by = denied_by ? denied_by->negation : none});
  append(words, std::move(before));
  append(words, std::move(owner));
  return {std::move(words), head};
}

Words Speaker::relative(const NounPhrase& p, int head) {
  Words words;
  if (p.who != nullptr) {
    const bool person = p.name != nullptr || (p.noun->kinds & kPerson) != 0;
    words.push_back(FrenchWord("qui").translates(say(person ? "who" : "that")));
    append(words, predicates(p.who->predicates, {p.features(), head}));
  }
  if (p.whom != nullptr) {
    const Clause& c = *p.whom;
    words.push_back(FrenchWord("que").translates(say("that")));
    Said subject = noun_phrase(c.subject);
    append(words, std::move(subject.words));
    const Features gap = p.features();
    append(words, predicates(c.predicates, {c.subject.features(), subject.head}, &gap));
  }
  return words;
}

// ---- Verbs ----

void Speaker::deny(const Predicate& p, VerbWords& v) {
  if (p.polarity == Polarity::kNot) v.negation = {say("not")};
  if (p.polarity == Polarity::kNever) v.negation = {say("never")};
  if (p.polarity == Polarity::kNoLonger) {
    v.negation = {say("no")};
    v.negation.push_back(say("longer"));
  }
  if (p.frequency != nullptr) v.frequency = phrase(p.frequency->phrase);
}

void Speaker::english_finite(const Predicate& p, const Verb& verb, Person person, bool will_said,
                             VerbWords& v) {
  const bool be = &verb == &to_be();
  const bool third = person == Person::kHe;
  const std::string_view is = person == Person::kI ? "am" : third ? "is" : "are";
  const std::string_view was = person == Person::kI || third ? "was" : "were";
  const bool present = p.tense == Tense::kPresent || p.tense == Tense::kWhenFuture;
  const auto helped = [&](std::string_view helper, std::string_view form) {
    if (!helper.empty()) v.helpers.push_back(say(helper));
    deny(p, v);
    v.verb = say(form);
  };
  if (p.tense == Tense::kFuture) {
    helped(will_said ? "" : "will", verb.english);
  } else if (p.tense == Tense::kProgressive || p.tense == Tense::kPastProgressive) {
    helped(p.tense == Tense::kProgressive ? is : was, verb.progressive);
  } else if (be) {
    v.verb = say(present ? is : was);
    deny(p, v);
  } else if (p.polarity == Polarity::kNot) {
    helped(!present ? "did" : third ? "does" : "do", verb.english);
  } else {
    helped("", !present ? verb.past : third ? verb.third : verb.english);
  }
}

VerbWords Speaker::english_verb(const Predicate& p, Person person, bool will_said) {
  VerbWords v;
  if (p.modal == Modal::kCan && p.polarity == Polarity::kNot) {
    v.modal = say("cannot");
    v.negation = {v.modal};
  } else if (p.modal == Modal::kCan || p.modal == Modal::kMust) {
    v.modal = say(p.modal == Modal::kCan ? "can" : "must");
    deny(p, v);
  } else if (p.modal == Modal::kWantTo) {
    english_finite(p, verb("want"), person, will_said, v);
    v.modal = v.verb;
    v.to = say("to");
  }
  if (p.modal == Modal::kNone) {
    english_finite(p, *p.verb, person, will_said, v);
  } else {
    v.verb = say(p.verb->english);
  }
  if (!p.verb->particle.empty()) v.particle = say(p.verb->particle);
  return v;
}

Words Speaker::object_pronoun(const NounPhrase& p, bool indirect, int particle) {
  constexpr std::string_view kEnglish[] = {"", "me", "you", "him", "her", "us", "them", "it"};
  constexpr std::string_view kDirect[] = {"", "me", "vous", "le", "la", "nous", "les", "le"};
  constexpr std::string_view kIndirect[] = {"", "me", "vous", "lui", "lui", "nous", "leur", ""};
  std::string_view french = (indirect ? kIndirect : kDirect)[at(p.pronoun)];
  if (p.pronoun == Pronoun::kIt && p.antecedent == Gender::kFeminine) french = "la";
  FrenchWord word = FrenchWord(french).translates(say(kEnglish[at(p.pronoun)]));
  if (indirect) word.depends_on(particle);
  return {word};
}

const std::array<std::string, 5>& simple_forms(const FrenchVerb& verb, Tense tense) {
  switch (tense) {
    case Tense::kPresent:
    case Tense::kProgressive:
      return verb.present;
    case Tense::kPast:
    case Tense::kPastProgressive:
      return verb.imperfect;
    case Tense::kFuture:
    case Tense::kWhenFuture:
      break;
  }
  return verb.future;
}

// (ne) (le) finite (pas) (souvent) participle, or (ne) finite (pas) (le) infinitive after a modal
// verb. `preceding`: the direct object that stands before, which the participle agrees with.
Words Speaker::verb_group(const Predicate& p, const Subject& subject, const VerbWords& v,
                          Words clitics, const Features* preceding) const {
  static const FrenchVerb have = conjugated("avoir"), be = conjugated("être");
  static const FrenchVerb modals[] = {
      {}, conjugated("pouvoir"), conjugated("devoir"), conjugated("vouloir")};
  constexpr std::string_view kSecond[] = {"", "pas", "jamais", "plus"};
  const std::size_t person = at(subject.features.person);
  const bool with_be = p.verb->has(kEtre | kReflexive);
  const bool modal = p.modal != Modal::kNone;
  const bool compound = p.tense == Tense::kPast && !p.verb->has(kState) && !modal;

  Words words, last;
  if (p.polarity != Polarity::kYes) {
    words.push_back(FrenchWord("ne").depends_on(v.negation).depends_on(v.helpers));
  }
  if (!modal) append(words, std::move(clitics));
  if (modal) {
    words.push_back(FrenchWord(simple_forms(modals[at(p.modal)], p.tense)[person])
                        .translates(v.modal)
                        .depends_on(v.helpers));
    last = std::move(clitics);
    last.push_back(
        FrenchWord(p.verb->french.infinitive).translates(v.verb).depends_on({v.to, v.particle}));
  } else if (compound) {
    words.push_back(FrenchWord((with_be ? be : have).present[person])
                        .depends_on({v.verb, subject.head})
                        .depends_on(v.helpers));
    const Features none;
    const Features& with = with_be ? subject.features : preceding != nullptr ? *preceding : none;
    last = {FrenchWord(agreeing(p.verb->french.participle, with))
                .translates(v.verb)
                .depends_on(v.helpers)
                .depends_on({v.particle, with_be ? subject.head : -1})};
  } else {
    words.push_back(FrenchWord(simple_forms(p.verb->french, p.tense)[person])
                        .translates(v.verb)
                        .depends_on(v.helpers)
                        .depends_on(v.particle));
  }
  if (p.polarity != Polarity::kYes) {
    FrenchWord second = FrenchWord(kSecond[at(p.polarity)]).translates(v.negation.back());
    words.push_back(second.depends_on(v.negation));
  }
  append(words, v.frequency);
  append(words, std::move(last));
  return words;
}

Words Speaker::objects(const Predicate& p, const VerbWords& v, Words& clitics) {
  Words words, to;
  const bool denied = p.polarity != Polarity::kYes && p.verb->direct();
  if (!p.to.empty() && p.to[0].pronoun != Pronoun::kNone) {
    clitics = object_pronoun(p.to[0], true, -1);
  }
  if (!p.object.empty() && p.object[0].pronoun != Pronoun::kNone) {
    clitics = object_pronoun(p.object[0], !p.verb->direct(), v.particle);
  } else if (!p.object.empty()) {
    if (!p.verb->direct()) {
      FrenchWord preposition(p.verb->preposition);
      words.push_back(v.particle >= 0 ? preposition.translates(v.particle)
                                      : preposition.depends_on(v.verb));
    }
    append(words, noun_phrase(p.object[0], denied ? &v : nullptr).words);
  }
  if (!p.to.empty() && p.to[0].pronoun == Pronoun::kNone) {
    words.push_back(FrenchWord("à").translates(say("to")));
    append(words, noun_phrase(p.to[0]).words);
  }
  return words;
}

Words Speaker::rest(const Predicate& p, const Subject& subject) {
  Words words;
  if (p.very) words.push_back(FrenchWord("très").translates(say("very")));
  if (p.complement != nullptr) {
    const Features& f = subject.features;
    words.push_back(FrenchWord(p.complement->form(f.gender, f.number))
                        .translates(say(p.complement->english))
                        .depends_on(subject.head));
  }
  if (p.manner != nullptr) append(words, phrase(p.manner->phrase));
  for (const Place& place : p.places) {
    append(words, phrase(place.preposition->phrase));
    append(words, noun_phrase(place.of).words);
  }
  if (p.time != nullptr) append(words, phrase(p.time->phrase));
  if (p.that != nullptr) {
    append(words, phrase(conjunction("that")));
    append(words, clause(*p.that));
  }
  return words;
}

Words Speaker::predicate(const Predicate& p, const Subject& subject, const Features* gap,
                         bool will_said) {
  const VerbWords v = english_verb(p, subject.features.person, will_said);
  Words clitics;
  if (p.verb->has(kReflexive)) {
    constexpr std::string_view kSelf[] = {"me", "se", "nous", "vous", "se"};
    clitics = {FrenchWord(kSelf[at(subject.features.person)])
                   .depends_on({v.verb, v.particle, subject.head})};
  }
  Words after = objects(p, v, clitics);
  const bool before = !p.object.empty() && p.object[0].pronoun != Pronoun::kNone;
  std::optional<Features> preceding;
  if (gap != nullptr) preceding = *gap;
  if (before && p.verb->direct()) preceding = p.object[0].features();
  Words words = verb_group(p, subject, v, std::move(clitics), preceding ? &*preceding : nullptr);
  append(words, std::move(after));
  append(words, rest(p, subject));
  return words;
}

Words Speaker::predicates(const std::vector<Predicate>& list, const Subject& subject,
                          const Features* gap) {
  Words words;
  const auto plain_future = [](const Predicate& p) {
    return p.tense == Tense::kFuture && p.polarity == Polarity::kYes;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) append(words, phrase(conjunction("and")));
    const bool will_said = i > 0 && plain_future(list[i]) && plain_future(list[i - 1]);
    append(words, predicate(list[i], subject, gap, will_said));
  }
  return words;
}

// ---- Clauses ----

Words Speaker::subordinate(const Subordinate& s) {
  Words words = phrase(*s.conjunction);
  append(words, clause(*s.clause));
  return words;
}

Words Speaker::clause(const Clause& c) {
  Words words;
  const auto comma = [&] { words.push_back(FrenchWord(",").translates(say(","))); };
  for (const Subordinate& s : c.first) {
    append(words, subordinate(s));
    comma();
  }
  if (c.opening != nullptr) {
    append(words, phrase(c.opening->phrase));
    comma();
  }
  if (c.weather != nullptr) {
    append(words, phrase(c.weather->phrase));
  } else {
    Said subject = noun_phrase(c.subject);
    append(words, std::move(subject.words));
    append(words, predicates(c.predicates, {c.subject.features(), subject.head}));
  }
  for (const Subordinate& s : c.then) append(words, subordinate(s));
  return words;
}

WorldPair Speaker::sentence(const Sentence& sentence) {
  Words french;
  for (std::size_t i = 0; i < sentence.clauses.size(); ++i) {
    if (i > 0) append(french, phrase(*sentence.joints[i - 1]));
    append(french, clause(sentence.clauses[i]));
  }
  french.push_back(FrenchWord(".").translates(say(".")));
  return written(std::move(english_), std::move(french));
}

}  // namespace

Features NounPhrase::features() const {
  Features f;
  if (pronoun != Pronoun::kNone) {
    constexpr Person kPersons[] = {Person::kHe, Person::kI,  Person::kYou,  Person::kHe,
                                   Person::kHe, Person::kWe, Person::kThey, Person::kHe};
    f.person = kPersons[at(pronoun)];
    f.gender = pronoun == Pronoun::kShe ? Gender::kFeminine : antecedent;
    const bool one = f.person == Person::kI || f.person == Person::kHe;
    f.number = one ? Number::kSingular : Number::kPlural;
  } else if (name != nullptr) {
    f.gender = name->gender;
  } else {
    f = {number == Number::kPlural ? Person::kThey : Person::kHe, noun->gender, number};
  }
  for (const NounPhrase& other : more) {
    f.person = Person::kThey;
    f.number = Number::kPlural;
    if (other.features().gender == Gender::kMasculine) f.gender = Gender::kMasculine;
  }
  return f;
}

WorldPair said(const Sentence& sentence) { return Speaker().sentence(sentence); }

}  // namespace fovea::world
