#include "fovea/data/translation_world_sampler.h"

#include <algorithm>
#include <utility>

#include "fovea/data/translation_world_choice.h"
#include "fovea/data/translation_world_phrases.h"

namespace fovea::world {
namespace {

constexpr Kinds kOwned = kOwn | kObjects | kOpening | kVehicle | kFood | kDrink;

constexpr Tenses kMain = kPresent | kProgressive | kPast | kPastProgressive | kFuture;

// Where a noun phrase stands decides which determiners sound right.
enum class Spot { kSubject, kObject, kDenied, kAfterPreposition, kAfterTo };

// How much may still be said, in English words, and what.
struct Room {
  int words;
  bool relatives = true;
  bool that = true;     // a clause with "that"
  bool denials = true;  // not in "while she does not sleep"
};

InnerClause inner(Clause c) { return std::make_shared<const Clause>(std::move(c)); }

bool describable(Kinds kinds) {
  return std::any_of(adjectives().begin(), adjectives().end(),
                     [&](const Adjective& a) { return (a.of & kinds) != 0; });
}

Tenses same_time(Tense tense) {
  if (tense == Tense::kFuture) return kFuture;
  return (tense_bit(tense) & (kPresent | kProgressive)) != 0 ? kPresent | kProgressive
                                                             : kPast | kPastProgressive;
}

class Sampler {
 public:
  explicit Sampler(Random& random) : choose_(random) {}
  Sentence sentence(int length);

 private:
  Clause clause(Room room, Tenses tenses);
  Clause core(Room room, Tense tense);
  Clause with_that(Room room, Tense tense);
  void two_predicates(Clause& c, Room room, Tense tense);
  Subordinate subordinate(Tense main, int because, int words);
  Clause short_or_weather(int words, Tenses tenses, bool denials);

  Predicate copula(Room room, Tense tense, Kinds of);
  Predicate intransitive(Room room, Tense tense, Kinds subject);
  Predicate transitive(Room room, Tense tense, Kinds subject, Pronoun subject_pronoun);
  Predicate any(Room room, Tense tense, Kinds subject, Pronoun subject_pronoun);
  void settle(Predicate& p, Tense tense, bool denials = true);
  void add_place(Predicate& p, int words);
  const Verb& acting(Tense tense, Kinds subject, bool object);

  NounPhrase subject(Kinds kinds, Room room);
  NounPhrase somebody();
  NounPhrase noun_phrase(Kinds kinds, Spot spot, Room room);
  NounPhrase bare(const Noun& noun, Spot spot);
  void add_adjectives(NounPhrase& p, int words);
  void add_relative(NounPhrase& p, int words);
  void remember(const NounPhrase& p);
  Pronoun object_pronoun(const Verb& verb, Pronoun subject);
  Determiner determiner(const Noun& noun, bool plural, Spot spot);

  Choice choose_;
  bool women_named_ = false;  // feminine and plural: "they" and "them" could mean them
};

// ---- Nouns ----

Determiner Sampler::determiner(const Noun& noun, bool plural, Spot spot) {
  using D = Determiner;
  const int roll = choose_.below(100);
  const bool owned = (noun.kinds & kOwned) != 0;
  if (owned && roll < 20) {
    return choose_.of({D::kMy, D::kYour, D::kHis, D::kHer, D::kOur, D::kTheir});
  }
  if (roll < 60 || spot == Spot::kAfterTo) return D::kThe;
  if (roll < 68) return D::kThis;
  if (spot == Spot::kAfterPreposition) return plural || noun.mass() ? D::kThe : D::kA;
  if (noun.mass()) return D::kSome;
  if (roll < 85) return plural ? D::kSome : D::kA;
  if (spot == Spot::kDenied) return D::kThe;
  if (!plural) return roll < 89 ? D::kEvery : D::kA;
  return choose_.of({D::kNumber, D::kNumber, D::kNumber, D::kSeveral, D::kMany, D::kAllThe, D::kFew,
                     spot == Spot::kObject ? D::kTooMany : D::kMany});
}

NounPhrase Sampler::bare(const Noun& noun, Spot spot) {
  NounPhrase p{.noun = &noun};
  const bool one = noun.mass() || (noun.kinds & kOnlyOne) != 0;
  const bool plural = !one && choose_.chance(spot == Spot::kAfterTo ? 10 : 33);
  if (plural) p.number = Number::kPlural;
  p.determiner = determiner(noun, plural, spot);
  p.count = 2 + choose_.below(11);
  return p;
}

// At most one that follows the noun in French and one that stands before it.
void Sampler::add_adjectives(NounPhrase& p, int words) {
  if (words < 1 || !choose_.chance(words > 3 ? 75 : 55)) return;
  const Adjective& first = choose_.adjective_of(p.noun->kinds);
  p.adjectives = {&first};
  const bool verdict = (first.of & kFood) != 0;  // "bad interesting" would not do
  if (words < 2 || !first.before_noun || verdict || !choose_.chance(40)) return;
  const Adjective& second = choose_.adjective_of(p.noun->kinds);
  if (!second.before_noun) p.adjectives.push_back(&second);
}

void Sampler::remember(const NounPhrase& p) {
  const Features f = p.features();
  if (f.gender == Gender::kFeminine && f.number == Number::kPlural) women_named_ = true;
}

NounPhrase Sampler::somebody() {
  if (choose_.chance(50)) return {.name = &choose_.from(names())};
  if (choose_.chance(50)) return {.noun = &choose_.noun_of(kPerson)};
  const auto related = [](const Noun& n) { return (n.kinds & kPerson) && (n.kinds & kOwn); };
  NounPhrase p{.noun = &choose_.fitting(nouns(), related)};
  p.determiner = choose_.of({Determiner::kMy, Determiner::kHis, Determiner::kHer, Determiner::kOur,
                             Determiner::kYour, Determiner::kTheir});
  return p;
}

NounPhrase Sampler::noun_phrase(Kinds kinds, Spot spot, Room room) {
  const bool drink = (kinds & kDrink) != 0 && spot == Spot::kObject && room.words >= 4;
  const bool measured = drink && choose_.chance(35);
  NounPhrase p = bare(choose_.noun_of(measured ? kContainer : kinds), spot);
  if (measured) p.content = &choose_.noun_of(kDrink);
  int left = room.words - 2;
  const bool ownable = !p.noun->mass() && !measured && (p.noun->kinds & kOwned & ~kFood) != 0;
  if (ownable && left >= 2 && choose_.chance(12)) {
    p.owner = {somebody()};
    left -= 2;
  }
  if (!measured) add_adjectives(p, left);
  left -= static_cast<int>(p.adjectives.size());
  const bool simple = p.owner.empty() && !measured && spot != Spot::kDenied;
  if (room.relatives && simple && left >= 3 && choose_.chance(left > 5 ? 80 : 50)) {
    add_relative(p, left - 1);
  } else if (simple && left >= 3 && spot <= Spot::kObject && choose_.chance(40)) {
    NounPhrase other = bare(choose_.noun_of(kinds), spot);
    add_adjectives(other, left - 3);
    if (other.noun != p.noun) p.more = {std::move(other)};
  }
  remember(p);
  return p;
}

void Sampler::add_relative(NounPhrase& p, int words) {
  const Kinds kinds = p.noun->kinds;
  const Tense tense = choose_.tense_of(kMain & ~kFuture);
  remember(p);
  Clause c;
  const bool living = (kinds & kLiving) != 0;
  const Kinds wanted = kLiving | kFood | kDrink | kObjects | kVehicle | kPlaces;
  if ((kinds & wanted) == 0 || choose_.chance(living ? 70 : 25)) {
    c.predicates = {any({words, false}, tense, kinds, Pronoun::kNone)};
    p.who = inner(std::move(c));
    return;
  }
  const auto sees = [&](const Verb& v) {
    return v.direct() && (v.object & kinds) != 0 && !v.has(kThatClause);
  };
  Predicate said_of{.verb = &choose_.fitting(verbs(), sees)};
  settle(said_of, tense);
  c.subject = subject(kPerson, {std::max(1, words - 2), false});
  c.predicates = {std::move(said_of)};
  p.whom = inner(std::move(c));
}

NounPhrase Sampler::subject(Kinds kinds, Room room) {
  const bool person = (kinds & kPerson) != 0;
  const int roll = choose_.below(100);
  if (person && (room.words <= 1 || roll < (room.words > 4 ? 15 : 40))) {
    if (choose_.chance(room.words <= 1 ? 65 : 75)) {
      const Pronoun they = women_named_ ? Pronoun::kWe : Pronoun::kThey;
      return {.pronoun = choose_.of(
                  {Pronoun::kI, Pronoun::kYou, Pronoun::kHe, Pronoun::kShe, Pronoun::kWe, they})};
    }
    return {.name = &choose_.from(names())};
  }
  if (person && room.words >= 3 && roll >= 92) {
    NounPhrase p{.name = &choose_.from(names())};
    const Name& other = choose_.from(names());
    if (&other != p.name) p.more = {NounPhrase{.name = &other}};
    remember(p);
    return p;
  }
  return noun_phrase(kinds, Spot::kSubject, room);
}

// ---- Predicates ----

// A verb that can be said in this tense. After "said that", a past is the imperfect.
const Verb& Sampler::acting(Tense tense, Kinds subject, bool object) {
  return choose_.fitting(verbs(), [&](const Verb& v) {
    const bool right = object ? v.object != 0 : !v.has(kNeedsObject);
    const bool progress = tense == Tense::kProgressive || tense == Tense::kPastProgressive;
    return right && (v.subject & subject) != 0 && !v.has(kThatClause) &&
           !(progress && v.has(kNoProgress));
  });
}

// Tense, negation, modal verb and adverb, as far as the verb goes with them.
void Sampler::settle(Predicate& p, Tense tense, bool denials) {
  const bool be = p.verb == &to_be();
  const bool no_progress = p.verb->has(kNoProgress);
  if (tense == Tense::kProgressive && no_progress) tense = Tense::kPresent;
  if (tense == Tense::kPastProgressive && no_progress) tense = Tense::kPast;
  const int roll = denials ? choose_.below(100) : 50;
  const bool simple = tense != Tense::kProgressive && tense != Tense::kPastProgressive;
  if (roll < 16) p.polarity = Polarity::kNot;
  const bool never = roll < 94 && (be || !p.verb->has(kState));
  if (simple && roll >= 88) p.polarity = never ? Polarity::kNever : Polarity::kNoLonger;
  // "I read" is the present: its past looks the same.
  const bool looks_present = p.verb->past == p.verb->english && p.polarity != Polarity::kNot;
  if (tense == Tense::kPast && looks_present) tense = Tense::kPastProgressive;
  p.tense = tense;
  const bool modal = simple && !p.verb->has(kState) && !be && tense != Tense::kWhenFuture;
  if (modal && tense != Tense::kPastProgressive && choose_.chance(14)) {
    p.modal = tense == Tense::kPresent ? choose_.of({Modal::kCan, Modal::kMust, Modal::kWantTo})
                                       : Modal::kWantTo;
    return;
  }
  const bool often = simple && p.tense != Tense::kPastProgressive &&
                     p.tense != Tense::kWhenFuture && (be || !p.verb->has(kState));
  if (often && p.polarity == Polarity::kYes && choose_.chance(12)) {
    p.frequency = &choose_.from(frequencies());
  } else if (often && p.polarity == Polarity::kNot && choose_.chance(15)) {
    p.frequency = &adverb(frequencies(), choose_.of({"often", "always"}));
  }
}

void Sampler::add_place(Predicate& p, int words) {
  const Preposition& preposition = choose_.fitting(
      prepositions(), [](const Preposition& each) { return (each.of & kSurface) == 0; });
  const bool person = preposition.of == kPerson;
  NounPhrase of = person && choose_.chance(60)
                      ? somebody()
                      : noun_phrase(preposition.of, Spot::kAfterPreposition, {words - 1, false});
  p.places.push_back({&preposition, std::move(of)});
}

Predicate Sampler::copula(Room room, Tense tense, Kinds of) {
  Predicate p{.verb = &to_be()};
  settle(p, tense, room.denials);
  const Kinds movable = kLiving | kHandy | kClothes | kVehicle;
  if ((of & movable) != 0 && room.words >= 4 && choose_.chance(35)) {
    const bool handy = (of & (kHandy | kClothes)) != 0 && choose_.chance(70);
    const auto fits = [&](const Preposition& each) {
      return handy ? each.of == kSurface : (each.of & kPlaces) != 0;
    };
    const Preposition& preposition = choose_.fitting(prepositions(), fits);
    const Kinds kinds = handy ? kSurface : preposition.of & (kPlaces | kNature);
    p.places.push_back(
        {&preposition, noun_phrase(handy ? kThing & kinds ? kThing : kSurface : kinds,
                                   Spot::kAfterPreposition, {room.words - 2, room.relatives})});
    return p;
  }
  p.complement = &choose_.adjective_of(of);
  if ((p.complement->of & kPassing) == 0) {  // nobody is "never French" or "often old"
    p.frequency = nullptr;
    if (p.polarity == Polarity::kNever) p.polarity = Polarity::kNot;
  }
  p.very = room.words >= 3 && choose_.chance(25);
  return p;
}

Predicate Sampler::intransitive(Room room, Tense tense, Kinds subject) {
  Predicate p;
  do {
    p.verb = &acting(tense, subject, false);
  } while (room.words < 2 && !p.verb->particle.empty());
  settle(p, tense, room.denials);
  int left = room.words - 1;
  if (p.modal == Modal::kNone && p.verb->has(kManner) && left >= 1 && choose_.chance(25)) {
    const auto fits = [&](const Adverb& a) { return (a.tenses & tense_bit(p.tense)) != 0; };
    if (p.frequency == nullptr) p.manner = &choose_.fitting(manners(), fits);
    --left;
  }
  if (p.verb->has(kSomewhere) && left >= 3) {
    add_place(p, left > 6 ? left / 2 : left);
    if (left > 6) add_place(p, left / 2);
    if (left > 6 && p.places[0].preposition == p.places[1].preposition) p.places.pop_back();
  }
  return p;
}

Pronoun Sampler::object_pronoun(const Verb& verb, Pronoun subject) {
  const Pronoun them = women_named_ ? Pronoun::kNone : Pronoun::kThey;
  if ((verb.object & kPerson) == 0) return verb.direct() ? them : Pronoun::kNone;
  const bool we = subject == Pronoun::kI || subject == Pronoun::kWe;
  const Pronoun p = choose_.of({Pronoun::kHe, Pronoun::kShe, them, we ? Pronoun::kHe : Pronoun::kI,
                                we ? Pronoun::kShe : Pronoun::kWe,
                                subject == Pronoun::kYou ? Pronoun::kHe : Pronoun::kYou});
  return p;
}

Predicate Sampler::transitive(Room room, Tense tense, Kinds subject, Pronoun subject_pronoun) {
  Predicate p{.verb = &acting(tense, subject, true)};
  settle(p, tense, room.denials);
  int left = room.words - 1 - (p.verb->particle.empty() ? 0 : 1);
  const bool denied = p.polarity != Polarity::kYes && p.verb->direct();
  const bool to = p.verb->has(kToSomebody) && left >= 3 && choose_.chance(80);
  if (choose_.chance(left <= 1 ? 100 : left <= 3 ? 35 : 12)) {
    const Pronoun pronoun = object_pronoun(*p.verb, subject_pronoun);
    if (pronoun != Pronoun::kNone) p.object = {NounPhrase{.pronoun = pronoun}};
  }
  const bool pronoun = !p.object.empty();
  if (to && !pronoun && choose_.chance(40)) {
    static const Verb& talk = verb("talk to");
    const Pronoun person = object_pronoun(talk, subject_pronoun);
    if (person != Pronoun::kNone) p.to = {NounPhrase{.pronoun = person}};
  }
  if (!pronoun) {
    const Spot spot = denied             ? Spot::kDenied
                      : p.verb->direct() ? Spot::kObject
                      : (p.verb->object & kGoal) != 0 && p.verb->preposition == "à"
                          ? Spot::kAfterTo
                          : Spot::kAfterPreposition;
    const bool named = (p.verb->object & kPerson) != 0 && choose_.chance(25);
    const int words = to && p.to.empty() ? left - 3 : left;
    p.object = {named ? somebody()
                      : noun_phrase(p.verb->object, spot, {words, room.relatives && !to})};
  }
  if (to && p.to.empty()) p.to = {somebody()};
  if (p.verb->has(kSomewhere) && !to && left >= 6 && choose_.chance(50)) add_place(p, 3);
  return p;
}

Predicate Sampler::any(Room room, Tense tense, Kinds subject, Pronoun subject_pronoun) {
  const int roll = choose_.below(100);
  if ((subject & kLiving) == 0 || (room.words >= 2 && roll < 18)) {
    return copula(room, tense, subject);
  }
  if (room.words <= 1 || roll > (room.words <= 6 ? 75 : 88)) {
    return intransitive(room, tense, subject);
  }
  return transitive(room, tense, subject, subject_pronoun);
}

// ---- Clauses ----

Clause Sampler::core(Room room, Tense tense) {
  Clause c;
  const bool thing = room.words >= 4 && choose_.chance(14);
  const Kinds kinds = thing ? choose_.of({kHandy, kThing, kClothes, kVehicle, kRoom, kFood, kText})
                            : choose_.of({kPerson, kPerson, kPerson, kLiving});
  const int share = std::max(1, (room.words - 1) * (20 + choose_.below(40)) / 100);
  c.subject = subject(kinds, {share, room.relatives});
  const NounPhrase& s = c.subject;
  const Kinds of = s.noun != nullptr ? s.noun->kinds : kPerson;
  Kinds fit = of;  // what is said of several must fit each
  if (!s.more.empty() && s.noun != nullptr) fit &= s.more[0].noun->kinds;
  if (!describable(fit)) {
    c.subject.more.clear();
    fit = of;
  }
  const bool simple = s.who == nullptr && s.whom == nullptr;
  const int left = room.words - (simple && s.noun == nullptr ? 1 : share);
  if (simple && (of & kPerson) != 0 && left >= 6 && choose_.chance(16)) {
    two_predicates(c, {left, false, false, room.denials}, tense);
  } else {
    c.predicates = {any({left, room.relatives, false, room.denials}, tense, fit, s.pronoun)};
  }
  // "Every girl does not sing" would leave open whether some do.
  const bool every = s.noun != nullptr && s.determiner >= Determiner::kEvery;
  for (Predicate& p : c.predicates) {
    if (!every) continue;
    p.polarity = Polarity::kYes;
    p.frequency = nullptr;
    const bool looks_present = p.verb->past == p.verb->english && p.modal == Modal::kNone;
    if (p.tense == Tense::kPast && looks_present) p.tense = Tense::kPastProgressive;
  }
  return c;
}

// "opens the box and closes it", "sings and dances".
void Sampler::two_predicates(Clause& c, Room room, Tense tense) {
  if (tense == Tense::kProgressive) tense = Tense::kPresent;
  if (tense == Tense::kPastProgressive) tense = Tense::kPast;
  const Pronoun pronoun = c.subject.pronoun;
  Room half = room;
  half.words = room.words / 2;
  const auto doing = [&] {
    return choose_.chance(half.words > 2 ? 70 : 0) ? transitive(half, tense, kPerson, pronoun)
                                                   : intransitive(half, tense, kPerson);
  };
  Predicate first = doing();
  Predicate second = doing();
  const bool same =
      first.tense == second.tense && first.modal == Modal::kNone && second.modal == Modal::kNone;
  if (!same || first.polarity != Polarity::kYes) {  // "do not sing and dance" denies both
    c.predicates = {std::move(first)};
    return;
  }
  const bool named = !first.object.empty() && first.object[0].noun != nullptr &&
                     first.object[0].more.empty() && first.object[0].content == nullptr &&
                     first.verb->direct() && first.to.empty() && first.places.empty();
  const Kinds kinds = named ? first.object[0].noun->kinds : 0;
  const bool it = (kinds & second.verb->object & ~kPerson) != 0 && second.verb->direct() &&
                  first.verb != second.verb && second.to.empty();
  if (it) {
    const Features f = first.object[0].features();
    const bool plural = f.number == Number::kPlural;
    second.object = {
        NounPhrase{.pronoun = plural ? Pronoun::kThey : Pronoun::kIt, .antecedent = f.gender}};
  } else if (!second.object.empty() && second.object[0].pronoun == Pronoun::kThey) {
    second.object = {somebody()};
    if ((second.verb->object & kPerson) == 0)
      second.object = {bare(choose_.noun_of(second.verb->object), Spot::kAfterPreposition)};
  }
  c.predicates = {std::move(first), std::move(second)};
}

Clause Sampler::with_that(Room room, Tense tense) {
  if (tense == Tense::kProgressive) tense = Tense::kPresent;
  if (tense == Tense::kPastProgressive) tense = Tense::kPast;
  Clause c;
  c.subject = subject(kPerson, {1 + choose_.below(3), false});
  const Verb& believing =
      choose_.fitting(verbs(), [](const Verb& v) { return v.has(kThatClause); });
  const Verb& saying = tense == Tense::kFuture ? verb("say") : believing;
  Predicate p{.verb = choose_.chance(25) ? &to_know_that() : &saying, .tense = tense};
  const Tenses tenses = tense == Tense::kPast     ? kPastProgressive
                        : tense == Tense::kFuture ? kPresent | kFuture
                                                  : kPresent | kProgressive | kPast | kFuture;
  p.that = inner(clause({room.words - 4, room.relatives, false}, tenses));
  c.predicates = {std::move(p)};
  return c;
}

Clause Sampler::short_or_weather(int words, Tenses tenses, bool denials) {
  const Tense tense = choose_.tense_of(tenses);
  if (words <= 5 && tense != Tense::kWhenFuture && choose_.chance(30)) {
    const auto fits = [&](const Adverb& a) {
      const bool moment = a.phrase.english.back() == "late";
      return (a.tenses & tense_bit(tense)) != 0 && (denials || !moment);
    };
    return {.weather = &choose_.fitting(weather(), fits)};
  }
  return core({words, words > 7 && tense != Tense::kWhenFuture, false, denials}, tense);
}

// `because`: how often it gives a reason, in percent.
Subordinate Sampler::subordinate(Tense main, int because, int words) {
  struct Option {
    const char* conjunction;
    Tenses tenses;
  };
  const Option why = {"because", main == Tense::kFuture ? kPresent | kFuture
                                 : main == Tense::kPast || main == Tense::kPastProgressive
                                     ? kPast | kPastProgressive
                                     : kPresent | kProgressive | kPast};
  Option other = {"when", kPresent};
  if (main == Tense::kPresent) other = choose_.chance(50) ? other : Option{"if", kPresent};
  if (main == Tense::kProgressive) other = {"while", kProgressive};
  if (main == Tense::kPast) {
    other = choose_.chance(50) ? Option{"when", kPast} : Option{"while", kPastProgressive};
  }
  if (main == Tense::kPastProgressive) {
    other = choose_.chance(50) ? Option{"when", kPast} : Option{"while", kPastProgressive};
  }
  if (main == Tense::kFuture) {
    other = choose_.chance(50) ? Option{"when", kWhenFuture} : Option{"if", kPresent};
  }
  const Option chosen = choose_.chance(because) ? why : other;
  const std::string_view word = chosen.conjunction;
  const bool denials = word == "because" || word == "if";
  return {&conjunction(word), inner(short_or_weather(words - 1, chosen.tenses, denials))};
}

Clause Sampler::clause(Room room, Tenses tenses) {
  const Tense tense = choose_.tense_of(tenses);
  const int roll = choose_.below(100);
  if (room.words >= 8 && room.that && roll < 22) return with_that(room, tense);
  const bool two = room.words >= 8 && roll < (room.words >= 15 ? 85 : 55);
  if (two) {
    const int words = room.words * (35 + choose_.below(20)) / 100;
    const bool trailing = !room.that || choose_.chance(60);  // "that when" is heavy
    // The tense of a trailing "when" must not hang on which clause it belongs to.
    const bool plain = trailing && tense == Tense::kFuture;
    std::vector<Subordinate> first;
    if (!trailing) first = {subordinate(tense, 0, words - 1)};
    Clause c = core({room.words - words, room.relatives && !plain}, tense);
    c.first = std::move(first);
    // In "he will say that you sing when", the tense after "when" would be open.
    if (trailing) c.then = {subordinate(c.predicates[0].tense, room.that ? 55 : 100, words)};
    return c;
  }
  if (room.words >= 6 && tense != Tense::kWhenFuture && roll > 75) {
    const auto fits = [&](const Adverb& a) { return (a.tenses & tense_bit(tense)) != 0; };
    const Adverb& time = choose_.fitting(times(), fits);
    const int words = static_cast<int>(time.phrase.english.size());
    Clause c = core({room.words - words - 1, room.relatives}, tense);
    Predicate& p = c.predicates[0];
    const bool fit = (p.verb == &to_be() ? !p.places.empty() : !p.verb->has(kState)) &&
                     p.tense == tense && p.polarity == Polarity::kYes && p.frequency == nullptr &&
                     p.modal == Modal::kNone && c.predicates.size() == 1;
    if (!fit) return c;
    (choose_.chance(50) ? c.opening : p.time) = &time;
    return c;
  }
  return core(room, tense);
}

Sentence Sampler::sentence(int length) {
  int left = length - 1;  // the full stop
  int count = 1;
  if (left > 12) count += choose_.chance(30) ? 1 : 0;
  if (left > 24) count = std::max(2, (left + 8 + choose_.below(9)) / 20);
  Tenses tenses = kMain;
  Sentence s;
  for (int i = 0; i < count; ++i) {
    const int even = left / (count - i);
    const int words = i + 1 == count ? left : even * (80 + choose_.below(41)) / 100;
    s.clauses.push_back(clause({words}, tenses));
    const Clause& said = s.clauses.back();
    if (choose_.chance(80)) tenses = same_time(said.predicates[0].tense);
    left -= words + 2;
    if (i + 1 < count) s.joints.push_back(&conjunction(choose_.of({", and", ", but"})));
  }
  return s;
}

}  // namespace

Sentence sampled(Random& random, int length) { return Sampler(random).sentence(length); }

}  // namespace fovea::world
