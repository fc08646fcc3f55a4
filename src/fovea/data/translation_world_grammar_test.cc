// The grammar of the bilingual world on hand-written sentences: what both languages must say.
#include "fovea/data/translation_world_grammar.h"

#include <gtest/gtest.h>

#include "fovea/base/base_test_tools.h"
#include "fovea/data/translation_world_phrases.h"
#include "fovea/data/translation_world_words.h"

namespace fovea::world {
namespace {

using D = Determiner;
using P = Pronoun;
using T = Tense;
constexpr Number kOne = Number::kSingular;
constexpr Number kSome = Number::kPlural;

NounPhrase the(const char* word, Number number = kOne, D determiner = D::kThe) {
  return {.noun = &noun(word), .number = number, .determiner = determiner};
}
NounPhrase the(const char* quality, const char* word, Number number = kOne,
               D determiner = D::kThe) {
  NounPhrase p = the(word, number, determiner);
  p.adjectives = {&adjective(quality)};
  return p;
}
NounPhrase called(const char* who) { return {.name = &name(who)}; }
NounPhrase pronoun(P p) { return {.pronoun = p}; }

Predicate does(const char* what, T tense = T::kPresent, Polarity polarity = Polarity::kYes) {
  return {.verb = &verb(what), .tense = tense, .polarity = polarity};
}
Predicate does(const char* what, NounPhrase object, T tense = T::kPresent,
               Polarity polarity = Polarity::kYes) {
  Predicate p = does(what, tense, polarity);
  p.object = {std::move(object)};
  return p;
}
Predicate is(const char* quality, T tense = T::kPresent, Polarity polarity = Polarity::kYes) {
  return {
      .verb = &to_be(), .tense = tense, .polarity = polarity, .complement = &adjective(quality)};
}
Predicate must(Modal modal, Predicate p) {
  p.modal = modal;
  return p;
}
Predicate giving(Predicate p, NounPhrase to) {
  p.to = {std::move(to)};
  return p;
}
Clause clause(NounPhrase subject, Predicate predicate) {
  Clause c;
  c.subject = std::move(subject);
  c.predicates = {std::move(predicate)};
  return c;
}
InnerClause inner(Clause c) { return std::make_shared<const Clause>(std::move(c)); }
NounPhrase who(NounPhrase p, Predicate what) {
  p.who = inner(clause({}, std::move(what)));
  return p;
}
NounPhrase whom(NounPhrase p, NounPhrase subject, Predicate what) {
  p.whom = inner(clause(std::move(subject), std::move(what)));
  return p;
}
NounPhrase both(NounPhrase p, NounPhrase other) {
  p.more = {std::move(other)};
  return p;
}
NounPhrase owned(NounPhrase owner, NounPhrase p) {
  p.owner = {std::move(owner)};
  return p;
}
Clause joined(Clause c, const char* word, Clause other) {
  c.then = {Subordinate{&conjunction(word), inner(std::move(other))}};
  return c;
}

void expect(const Clause& c, const std::string& english, const std::string& french) {
  const WorldPair pair = said({.clauses = {c}, .joints = {}});
  EXPECT_EQ(pair.source, english);
  EXPECT_EQ(pair.target, french);
}
void expect(NounPhrase subject, Predicate predicate, const std::string& english,
            const std::string& french) {
  expect(clause(std::move(subject), std::move(predicate)), english, french);
}

TEST(BilingualGrammar, AgreesInGenderAndNumber) {
  expect(the("girl"), is("happy"), "The girl is happy.", "La fille est heureuse.");
  expect(the("boy", kSome), is("happy"), "The boys are happy.", "Les garçons sont heureux.");
  expect(the("white", "cow", kSome, D::kSome), does("sleep"), "Some white cows sleep.",
         "Des vaches blanches dorment.");
  expect(the("loyal", "friend", kSome, D::kMy), does("work"), "My loyal friends work.",
         "Mes amis loyaux travaillent.");
  expect(both(called("Marie"), called("Anne")), is("tired"), "Marie and Anne are tired.",
         "Marie et Anne sont fatiguées.");
  expect(both(called("Marie"), called("Paul")), is("tired"), "Marie and Paul are tired.",
         "Marie et Paul sont fatigués.");
  expect(pronoun(P::kYou), is("proud", T::kFuture), "You will be proud.", "Vous serez fiers.");
  expect(pronoun(P::kShe), is("jealous", T::kPast), "She was jealous.", "Elle était jalouse.");
  expect(the("newspaper", kSome, D::kThis), is("French"), "These newspapers are French.",
         "Ces journaux sont français.");
}

TEST(BilingualGrammar, PutsAdjectivesBeforeOrAfterTheNoun) {
  expect(the("old", "man"), does("sleep"), "The old man sleeps.", "Le vieil homme dort.");
  expect(the("old", "doctor"), does("sleep"), "The old doctor sleeps.", "Le vieux médecin dort.");
  expect(the("beautiful", "bird", kOne, D::kA), does("arrive"), "A beautiful bird arrives.",
         "Un bel oiseau arrive.");
  expect(pronoun(P::kI), does("see", the("new", "hotel")), "I see the new hotel.",
         "Je vois le nouvel hôtel.");
  expect(pronoun(P::kI), does("see", the("new", "castle", kSome)), "I see the new castles.",
         "Je vois les nouveaux châteaux.");
  expect(pronoun(P::kWe), does("buy", the("little", "house", kSome, D::kSome)),
         "We buy some little houses.", "Nous achetons de petites maisons.");
  NounPhrase box = the("little", "box", kOne, D::kThis);
  box.adjectives.push_back(&adjective("black"));
  expect(pronoun(P::kHe), does("open", box), "He opens this little black box.",
         "Il ouvre cette petite boîte noire.");
}

TEST(BilingualGrammar, ElidesAndContracts) {
  expect(the("man"), does("eat", the("orange")), "The man eats the orange.",
         "L'homme mange l'orange.");
  expect(the("hero"), does("see", the("owl")), "The hero sees the owl.", "Le héros voit le hibou.");
  expect(pronoun(P::kI), does("arrive", T::kPast), "I arrived.", "Je suis arrivé.");
  expect(pronoun(P::kI), does("love", the("bean", kSome)), "I love the beans.",
         "J'aime les haricots.");
  expect(the("boy"), does("go to", the("market")), "The boy goes to the market.",
         "Le garçon va au marché.");
  expect(the("boy"), does("talk to", the("doctor", kSome)), "The boy talks to the doctors.",
         "Le garçon parle aux médecins.");
  expect(the("boy"), does("come from", the("office")), "The boy comes from the office.",
         "Le garçon vient du bureau.");
  expect(the("boy"), does("come from", the("school")), "The boy comes from the school.",
         "Le garçon vient de l'école.");
  expect(pronoun(P::kThey), does("come from", the("farm", kSome)), "They come from the farms.",
         "Ils viennent des fermes.");
  expect(owned(the("king"), the("horse", kSome)), does("run"), "The king's horses run.",
         "Les chevaux du roi courent.");
  expect(owned(called("Henri"), the("sister")), does("sing"), "Henri's sister sings.",
         "La sœur d'Henri chante.");
  expect(
      joined(clause(pronoun(P::kI), does("sleep")), "if", clause(pronoun(P::kHe), does("sleep"))),
      "I sleep if he sleeps.", "Je dors s'il dort.");
  expect(
      joined(clause(pronoun(P::kI), does("sleep")), "if", clause(pronoun(P::kShe), does("sleep"))),
      "I sleep if she sleeps.", "Je dors si elle dort.");
}

TEST(BilingualGrammar, ChoosesDeterminers) {
  expect(pronoun(P::kI), does("eat", the("bread", kOne, D::kSome)), "I eat some bread.",
         "Je mange du pain.");
  expect(pronoun(P::kI), does("drink", the("water", kOne, D::kSome)), "I drink some water.",
         "Je bois de l'eau.");
  expect(pronoun(P::kI), does("eat", the("meat", kOne, D::kSome)), "I eat some meat.",
         "Je mange de la viande.");
  expect(the("school", kOne, D::kHis), is("old"), "His school is old.", "Son école est vieille.");
  expect(the("old", "school", kOne, D::kHer), is("dark"), "Her old school is dark.",
         "Sa vieille école est sombre.");
  expect(the("child", kOne, D::kThis), does("play"), "This child plays.", "Cet enfant joue.");
  expect(the("egg", kOne, D::kA), is("fresh"), "An egg is fresh.", "Un œuf est frais.");
  expect(the("honest", "lawyer", kOne, D::kA), does("work"), "An honest lawyer works.",
         "Un avocat honnête travaille.");
  expect(pronoun(P::kI), does("want", the("useful", "box", kOne, D::kA)), "I want a useful box.",
         "Je veux une boîte utile.");
  expect(the("apple", kSome, D::kAllThe), is("delicious"), "All the apples are delicious.",
         "Toutes les pommes sont délicieuses.");
  expect(pronoun(P::kHe), does("have", the("friend", kSome, D::kMany)), "He has many friends.",
         "Il a beaucoup d'amis.");
  expect(pronoun(P::kHe), does("buy", the("egg", kSome, D::kTooMany)), "He buys too many eggs.",
         "Il achète trop d'œufs.");
  NounPhrase eleven = the("apricot", kSome, D::kNumber);
  eleven.count = 11;
  expect(pronoun(P::kWe), does("find", eleven, T::kPast), "We found eleven apricots.",
         "Nous avons trouvé onze abricots.");
  NounPhrase glass = the("glass", kOne, D::kA);
  glass.content = &noun("water");
  expect(pronoun(P::kYou), does("drink", glass, T::kPast), "You drank a glass of water.",
         "Vous avez bu un verre d'eau.");
}

TEST(BilingualGrammar, ConjugatesEveryTense) {
  const NounPhrase apple = the("apple", kOne, D::kA);
  expect(pronoun(P::kWe), does("eat", apple), "We eat an apple.", "Nous mangeons une pomme.");
  expect(pronoun(P::kWe), does("eat", apple, T::kProgressive), "We are eating an apple.",
         "Nous mangeons une pomme.");
  expect(pronoun(P::kWe), does("eat", apple, T::kPast), "We ate an apple.",
         "Nous avons mangé une pomme.");
  expect(pronoun(P::kWe), does("eat", apple, T::kPastProgressive), "We were eating an apple.",
         "Nous mangions une pomme.");
  expect(pronoun(P::kHe), does("eat", apple, T::kPastProgressive), "He was eating an apple.",
         "Il mangeait une pomme.");
  expect(pronoun(P::kWe), does("eat", apple, T::kFuture), "We will eat an apple.",
         "Nous mangerons une pomme.");
  expect(pronoun(P::kShe), does("fall", T::kPast), "She fell.", "Elle est tombée.");
  expect(the("princess", kSome), does("go to", the("theatre"), T::kPast),
         "The princesses went to the theatre.", "Les princesses sont allées au théâtre.");
  expect(pronoun(P::kShe), does("wake up", T::kPast), "She woke up.", "Elle s'est réveillée.");
  expect(pronoun(P::kI), does("hurry"), "I hurry.", "Je me dépêche.");
  expect(pronoun(P::kI), does("stop", T::kProgressive), "I am stopping.", "Je m'arrête.");
  expect(pronoun(P::kWe), does("sit down", T::kPast), "We sat down.", "Nous nous sommes assis.");
  expect(called("Anne"), does("love", called("Luc"), T::kPast), "Anne loved Luc.",
         "Anne aimait Luc.");
  expect(pronoun(P::kThey), does("receive", the("letter", kOne, D::kMy)), "They receive my letter.",
         "Ils reçoivent ma lettre.");
  expect(pronoun(P::kYou), does("study", T::kPastProgressive), "You were studying.",
         "Vous étudiiez.");
  expect(pronoun(P::kShe), does("throw", the("key"), T::kFuture), "She will throw the key.",
         "Elle jettera la clé.");
}

TEST(BilingualGrammar, WrapsTheVerbInNegation) {
  expect(pronoun(P::kHe), does("sleep", T::kPresent, Polarity::kNot), "He does not sleep.",
         "Il ne dort pas.");
  expect(pronoun(P::kI), does("eat", T::kPast, Polarity::kNever), "I never ate.",
         "Je n'ai jamais mangé.");
  expect(pronoun(P::kShe), does("rest", T::kPast, Polarity::kNot), "She did not rest.",
         "Elle ne s'est pas reposée.");
  expect(pronoun(P::kThey), does("work", T::kFuture, Polarity::kNoLonger),
         "They will no longer work.", "Ils ne travailleront plus.");
  expect(pronoun(P::kI), does("have", the("dog", kOne, D::kA), T::kPresent, Polarity::kNot),
         "I do not have a dog.", "Je n'ai pas de chien.");
  expect(pronoun(P::kWe), does("buy", the("apricot", kSome, D::kSome), T::kPast, Polarity::kNot),
         "We did not buy any apricots.", "Nous n'avons pas acheté d'abricots.");
  expect(pronoun(P::kI), is("sick", T::kPresent, Polarity::kNoLonger), "I am no longer sick.",
         "Je ne suis plus malade.");
  expect(pronoun(P::kHe), must(Modal::kCan, does("swim", T::kPresent, Polarity::kNot)),
         "He cannot swim.", "Il ne peut pas nager.");
}

TEST(BilingualGrammar, MovesPronounsBeforeTheVerb) {
  expect(the("girl"), does("see", pronoun(P::kHe), T::kPresent, Polarity::kNot),
         "The girl does not see him.", "La fille ne le voit pas.");
  expect(the("girl"), does("invite", pronoun(P::kShe), T::kPast), "The girl invited her.",
         "La fille l'a invitée.");
  expect(pronoun(P::kI), does("buy", pronoun(P::kThey), T::kPast, Polarity::kNot),
         "I did not buy them.", "Je ne les ai pas achetés.");
  expect(pronoun(P::kShe), does("answer", pronoun(P::kI)), "She answers me.", "Elle me répond.");
  expect(pronoun(P::kYou), does("talk to", pronoun(P::kThey), T::kPast), "You talked to them.",
         "Vous leur avez parlé.");
  expect(called("Paul"), giving(does("give", the("book", kOne, D::kA)), pronoun(P::kShe)),
         "Paul gives her a book.", "Paul lui donne un livre.");
  expect(called("Paul"), giving(does("give", the("book", kOne, D::kA)), the("boy")),
         "Paul gives a book to the boy.", "Paul donne un livre au garçon.");
  expect(pronoun(P::kI), must(Modal::kWantTo, does("help", pronoun(P::kYou))),
         "I want to help you.", "Je veux vous aider.");
  expect(pronoun(P::kHe),
         must(Modal::kMust, does("follow", pronoun(P::kShe), T::kPresent, Polarity::kNot)),
         "He must not follow her.", "Il ne doit pas la suivre.");
  expect(pronoun(P::kWe), must(Modal::kWantTo, does("rest", T::kPast)), "We wanted to rest.",
         "Nous voulions nous reposer.");
}

TEST(BilingualGrammar, BuildsLongerSentences) {
  expect(who(the("man"), does("sing")), does("dance"), "The man who sings dances.",
         "L'homme qui chante danse.");
  expect(pronoun(P::kI),
         does("love", whom(the("apple", kSome), called("Anne"), does("buy", T::kPast))),
         "I love the apples that Anne bought.", "J'aime les pommes qu'Anne a achetées.");
  expect(who(the("car"), is("red")), is("expensive"), "The car that is red is expensive.",
         "La voiture qui est rouge est chère.");
  expect(joined(clause(pronoun(P::kI), does("eat", T::kFuture)), "when",
                clause(pronoun(P::kHe), does("arrive", T::kWhenFuture))),
         "I will eat when he arrives.", "Je mangerai quand il arrivera.");
  expect(joined(clause(the("child"), does("cry", T::kPast)), "because",
                clause(the("mother", kOne, D::kHis), does("go out", T::kPastProgressive))),
         "The child cried because his mother was going out.",
         "L'enfant a pleuré parce que sa mère sortait.");
  Clause both_doors = clause(the("lady"), does("open", the("door"), T::kPast));
  NounPhrase it = pronoun(P::kIt);
  it.antecedent = Gender::kFeminine;
  both_doors.predicates.push_back(does("close", it, T::kPast));
  expect(both_doors, "The lady opened the door and closed it.",
         "La dame a ouvert la porte et l'a fermée.");
  Predicate says = does("say", T::kPast);
  says.that = inner(clause(pronoun(P::kShe), does("work", T::kPastProgressive)));
  expect(called("Luc"), says, "Luc said that she was working.", "Luc a dit qu'elle travaillait.");
  Predicate sleeps = does("sleep", T::kPast);
  sleeps.frequency = &adverb(frequencies(), "often");
  sleeps.places = {{&preposition("near"), the("castle")}};
  expect(the("bear", kOne, D::kThis), sleeps, "This bear often slept near the castle.",
         "Cet ours a souvent dormi près du château.");
  Clause tomorrow = clause(the("teacher", kOne, D::kOur), does("come back", T::kFuture));
  tomorrow.opening = &adverb(times(), "next year");
  expect(tomorrow, "Next year, our teacher will come back.",
         "L'année prochaine, notre professeur reviendra.");
}

TEST(BilingualGrammar, LinksWordsThatTranslateOrDepend) {
  const auto links = [](NounPhrase subject, Predicate predicate) {
    std::string text;  // as in a Pharaoh file
    const Clause c = clause(std::move(subject), std::move(predicate));
    for (const Link& link : said({.clauses = {c}, .joints = {}}).links) {
      text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", link.source, link.sure ? "-" : "?",
                          link.target);
    }
    return text;
  };
  // The girl did not see him . / La fille ne l' a pas vu .
  EXPECT_EQ(links(the("girl"), does("see", pronoun(P::kHe), T::kPast, Polarity::kNot)),
            "0?0 1?0 1-1 1?4 2?2 2?4 2?6 3?2 3-5 4?4 4-6 5-3 6-7");
  // The boy goes to the market . / Le garçon va au marché .
  EXPECT_EQ(links(the("boy"), does("go to", the("market"))),
            "0?0 1?0 1-1 2-2 3?2 3?3 4?3 5?3 5-4 6-5");
}

TEST(BilingualGrammar, RefusesWordsItDoesNotHave) {
  EXPECT_EQ(error_of([] { (void)noun("zebra"); }), "the bilingual world has no word 'zebra'");
  EXPECT_EQ(error_of([] { (void)verb("fly"); }), "the bilingual world has no verb 'fly'");
  EXPECT_EQ(error_of([] { (void)conjugated("x"); }), "'x' is no French infinitive");
}

}  // namespace
}  // namespace fovea::world
