// Verbs of the bilingual world and the forms of the French ones.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/translation_world_lexicon.h"

namespace fovea::world {
namespace {

struct Irregular {
  std::string_view infinitive;
  std::array<std::string_view, 5> present;  // je, il, nous, vous, ils
  std::string_view future;                  // the stem
  std::string_view participle;
};

// clang-format off
constexpr Irregular kIrregular[] = {
    {"être", {"suis", "est", "sommes", "êtes", "sont"}, "ser", "été"},
    {"avoir", {"ai", "a", "avons", "avez", "ont"}, "aur", "eu"},
    {"aller", {"vais", "va", "allons", "allez", "vont"}, "ir", "allé"},
    {"venir", {"viens", "vient", "venons", "venez", "viennent"}, "viendr", "venu"},
    {"revenir", {"reviens", "revient", "revenons", "revenez", "reviennent"}, "reviendr", "revenu"},
    {"voir", {"vois", "voit", "voyons", "voyez", "voient"}, "verr", "vu"},
    {"boire", {"bois", "boit", "buvons", "buvez", "boivent"}, "boir", "bu"},
    {"prendre", {"prends", "prend", "prenons", "prenez", "prennent"}, "prendr", "pris"},
    {"comprendre", {"comprends", "comprend", "comprenons", "comprenez", "comprennent"}, "comprendr", "compris"},
    {"écrire", {"écris", "écrit", "écrivons", "écrivez", "écrivent"}, "écrir", "écrit"},
    {"lire", {"lis", "lit", "lisons", "lisez", "lisent"}, "lir", "lu"},
    {"dire", {"dis", "dit", "disons", "dites", "disent"}, "dir", "dit"},
    {"croire", {"crois", "croit", "croyons", "croyez", "croient"}, "croir", "cru"},
    {"savoir", {"sais", "sait", "savons", "savez", "savent"}, "saur", "su"},
    {"connaître", {"connais", "connaît", "connaissons", "connaissez", "connaissent"}, "connaîtr", "connu"},
    {"ouvrir", {"ouvre", "ouvre", "ouvrons", "ouvrez", "ouvrent"}, "ouvrir", "ouvert"},
    {"offrir", {"offre", "offre", "offrons", "offrez", "offrent"}, "offrir", "offert"},
    {"peindre", {"peins", "peint", "peignons", "peignez", "peignent"}, "peindr", "peint"},
    {"suivre", {"suis", "suit", "suivons", "suivez", "suivent"}, "suivr", "suivi"},
    {"recevoir", {"reçois", "reçoit", "recevons", "recevez", "reçoivent"}, "recevr", "reçu"},
    {"construire", {"construis", "construit", "construisons", "construisez", "construisent"}, "construir", "construit"},
    {"conduire", {"conduis", "conduit", "conduisons", "conduisez", "conduisent"}, "conduir", "conduit"},
    {"dormir", {"dors", "dort", "dormons", "dormez", "dorment"}, "dormir", "dormi"},
    {"courir", {"cours", "court", "courons", "courez", "courent"}, "courr", "couru"},
    {"rire", {"ris", "rit", "rions", "riez", "rient"}, "rir", "ri"},
    {"sourire", {"souris", "sourit", "sourions", "souriez", "sourient"}, "sourir", "souri"},
    {"sortir", {"sors", "sort", "sortons", "sortez", "sortent"}, "sortir", "sorti"},
    {"tenir", {"tiens", "tient", "tenons", "tenez", "tiennent"}, "tiendr", "tenu"},
    {"vouloir", {"veux", "veut", "voulons", "voulez", "veulent"}, "voudr", "voulu"},
    {"pouvoir", {"peux", "peut", "pouvons", "pouvez", "peuvent"}, "pourr", "pu"},
    {"devoir", {"dois", "doit", "devons", "devez", "doivent"}, "devr", "dû"},
    {"asseoir", {"assieds", "assied", "asseyons", "asseyez", "asseyent"}, "assiér", "assis"},
    {"envoyer", {"envoie", "envoie", "envoyons", "envoyez", "envoient"}, "enverr", "envoyé"},
    {"espérer", {"espère", "espère", "espérons", "espérez", "espèrent"}, "espérer", "espéré"},
};
// clang-format on

// The stem of -er verbs before a silent ending and in the future, where it differs.
constexpr std::pair<std::string_view, std::string_view> kStrongStems[] = {
    {"acheter", "achèt"}, {"jeter", "jett"},      {"appeler", "appell"},
    {"lever", "lèv"},     {"nettoyer", "nettoi"}, {"promener", "promèn"},
};

std::string without(std::string_view word, std::size_t letters) {
  return std::string(word.substr(0, word.size() - letters));
}

// Nous mangeons, commençons: the sound of the stem is kept before o and a.
std::string before_back_vowel(const std::string& stem) {
  if (stem.ends_with('g')) return stem + "e";
  if (stem.ends_with('c')) return without(stem, 1) + "ç";
  return stem;
}

// The imperfect and the future follow from the present and the stem of the future.
FrenchVerb completed(FrenchVerb verb, const std::string& future) {
  constexpr std::array<std::string_view, 5> kImperfect = {"ais", "ait", "ions", "iez", "aient"};
  constexpr std::array<std::string_view, 5> kFutureEndings = {"ai", "a", "ons", "ez", "ont"};
  const bool to_be = verb.infinitive == "être";
  const std::string stem = to_be ? "ét" : without(verb.present[2], 3);
  for (std::size_t i = 0; i < 5; ++i) {
    std::string before_i = stem;  // nous mangions, commencions
    if (stem.ends_with("ge")) before_i = without(stem, 1);
    if (stem.ends_with("ç")) before_i = without(stem, 2) + "c";
    verb.imperfect[i] = (kImperfect[i].starts_with('i') ? before_i : stem);
    verb.imperfect[i] += kImperfect[i];
    verb.future[i] = future;
    verb.future[i] += kFutureEndings[i];
  }
  return verb;
}

FrenchVerb conjugated_er(std::string_view infinitive) {
  const std::string weak = without(infinitive, 2);
  std::string strong = weak;
  for (const auto& [verb, stem] : kStrongStems) {
    if (verb == infinitive) strong = stem;
  }
  return completed({.infinitive = std::string(infinitive),
                    .present = {strong + "e", strong + "e", before_back_vowel(weak) + "ons",
                                weak + "ez", strong + "ent"},
                    .imperfect = {},
                    .future = {},
                    .participle = weak + "é"},
                   strong + "er");
}

FrenchVerb conjugated_ir(std::string_view infinitive) {
  const std::string stem = without(infinitive, 2);
  return completed(
      {.infinitive = std::string(infinitive),
       .present = {stem + "is", stem + "it", stem + "issons", stem + "issez", stem + "issent"},
       .imperfect = {},
       .future = {},
       .participle = stem + "i"},
      std::string(infinitive));
}

FrenchVerb conjugated_re(std::string_view infinitive) {
  const std::string stem = without(infinitive, 2);
  return completed({.infinitive = std::string(infinitive),
                    .present = {stem + "s", stem, stem + "ons", stem + "ez", stem + "ent"},
                    .imperfect = {},
                    .future = {},
                    .participle = stem + "u"},
                   without(infinitive, 1));
}

constexpr Kinds kGoods = kFood | kDrink | kObjects;
constexpr Kinds kAnything = kLiving | kObjects | kVehicle | kTransit | kPlaces | kNature;

struct Entry {
  std::string_view english, third, past, progressive, particle;
  std::string_view french, preposition;
  Kinds subject, object;
  VerbTraits traits;
};

// clang-format off
constexpr Entry kVerbs[] = {
    {"see", "sees", "saw", "seeing", "", "voir", "", kLiving, kAnything, kNoProgress | kNeedsObject},
    {"look", "looks", "looked", "looking", "at", "regarder", "", kLiving, kAnything, kNeedsObject},
    {"look", "looks", "looked", "looking", "for", "chercher", "", kLiving, kLiving | kFood | kHandy | kClothes, kNeedsObject},
    {"wait", "waits", "waited", "waiting", "for", "attendre", "", kPerson, kPerson | kTransit, kNeedsObject},
    {"listen", "listens", "listened", "listening", "to", "écouter", "", kPerson, kLiving, kNeedsObject},
    {"hear", "hears", "heard", "hearing", "", "entendre", "", kLiving, kLiving | kVehicle | kTransit, kNoProgress | kNeedsObject},
    {"love", "loves", "loved", "loving", "", "aimer", "", kPerson, kAnything | kFood | kDrink, kState | kNoProgress | kNeedsObject},
    {"hate", "hates", "hated", "hating", "", "détester", "", kPerson, kAnything | kFood | kDrink, kState | kNoProgress | kNeedsObject},
    {"know", "knows", "knew", "knowing", "", "connaître", "", kPerson, kPerson | kPlaces | kText, kState | kNoProgress | kNeedsObject},
    {"have", "has", "had", "having", "", "avoir", "", kPerson, kPet | kObjects | kVehicle, kState | kNoProgress | kNeedsObject},
    {"want", "wants", "wanted", "wanting", "", "vouloir", "", kPerson, kGoods | kVehicle, kState | kNoProgress | kNeedsObject},
    {"understand", "understands", "understood", "understanding", "", "comprendre", "", kPerson, kPerson | kText, kNoProgress | kNeedsObject},
    {"eat", "eats", "ate", "eating", "", "manger", "", kLiving, kFood, kSomewhere},
    {"drink", "drinks", "drank", "drinking", "", "boire", "", kLiving, kDrink, kSomewhere},
    {"buy", "buys", "bought", "buying", "", "acheter", "", kPerson, kGoods | kPet | kVehicle, kNeedsObject},
    {"sell", "sells", "sold", "selling", "", "vendre", "", kPerson, kGoods | kPet | kVehicle, kNeedsObject | kToSomebody},
    {"find", "finds", "found", "finding", "", "trouver", "", kLiving, kLiving | kFood | kHandy | kClothes, kNoProgress | kNeedsObject},
    {"lose", "loses", "lost", "losing", "", "perdre", "", kPerson, kHandy | kClothes, kNeedsObject},
    {"take", "takes", "took", "taking", "", "prendre", "", kPerson, kFood | kHandy | kClothes, kNeedsObject},
    {"bring", "brings", "brought", "bringing", "", "apporter", "", kPerson, kFood | kDrink | kHandy | kClothes, kNeedsObject | kToSomebody},
    {"carry", "carries", "carried", "carrying", "", "porter", "", kPerson, kHandy | kThing, kNeedsObject},
    {"wear", "wears", "wore", "wearing", "", "porter", "", kPerson, kClothes, kNeedsObject},
    {"wash", "washes", "washed", "washing", "", "laver", "", kPerson, kClothes | kVehicle | kPet, kNeedsObject},
    {"clean", "cleans", "cleaned", "cleaning", "", "nettoyer", "", kPerson, kThing | kVehicle | kIndoor, kNeedsObject},
    {"open", "opens", "opened", "opening", "", "ouvrir", "", kPerson, kOpening, kNeedsObject},
    {"close", "closes", "closed", "closing", "", "fermer", "", kPerson, kOpening, kNeedsObject},
    {"break", "breaks", "broke", "breaking", "", "casser", "", kPerson, kContainer | kThing, kNeedsObject},
    {"repair", "repairs", "repaired", "repairing", "", "réparer", "", kPerson, kThing | kVehicle, kNeedsObject},
    {"hide", "hides", "hid", "hiding", "", "cacher", "", kPerson, kFood | kHandy | kClothes, kNeedsObject},
    {"show", "shows", "showed", "showing", "", "montrer", "", kPerson, kAnimal | kObjects | kVehicle, kNeedsObject | kToSomebody},
    {"give", "gives", "gave", "giving", "", "donner", "", kPerson, kGoods | kPet, kNeedsObject | kToSomebody},
    {"offer", "offers", "offered", "offering", "", "offrir", "", kPerson, kFood | kDrink | kHandy | kClothes, kNeedsObject | kToSomebody},
    {"send", "sends", "sent", "sending", "", "envoyer", "", kPerson, kText, kNeedsObject | kToSomebody},
    {"lend", "lends", "lent", "lending", "", "prêter", "", kPerson, kHandy | kClothes | kVehicle, kNeedsObject | kToSomebody},
    {"write", "writes", "wrote", "writing", "", "écrire", "", kPerson, kText, kNeedsObject},
    {"read", "reads", "read", "reading", "", "lire", "", kPerson, kText, kNeedsObject | kSomewhere},
    {"paint", "paints", "painted", "painting", "", "peindre", "", kPerson, kOpening | kThing | kNature, kNeedsObject},
    {"draw", "draws", "drew", "drawing", "", "dessiner", "", kPerson, kLiving | kNature | kVehicle, kNeedsObject},
    {"choose", "chooses", "chose", "choosing", "", "choisir", "", kPerson, kGoods | kVehicle, kNeedsObject},
    {"follow", "follows", "followed", "following", "", "suivre", "", kLiving, kLiving | kVehicle, kNeedsObject},
    {"meet", "meets", "met", "meeting", "", "rencontrer", "", kPerson, kPerson, kNeedsObject},
    {"help", "helps", "helped", "helping", "", "aider", "", kPerson, kPerson, kNeedsObject},
    {"thank", "thanks", "thanked", "thanking", "", "remercier", "", kPerson, kPerson, kNeedsObject},
    {"invite", "invites", "invited", "inviting", "", "inviter", "", kPerson, kPerson, kNeedsObject},
    {"call", "calls", "called", "calling", "", "appeler", "", kPerson, kLiving, kNeedsObject},
    {"admire", "admires", "admired", "admiring", "", "admirer", "", kPerson, kAnything, kNoProgress | kNeedsObject},
    {"visit", "visits", "visited", "visiting", "", "visiter", "", kPerson, kPlaces, kNeedsObject},
    {"forget", "forgets", "forgot", "forgetting", "", "oublier", "", kPerson, kHandy | kClothes, kNoProgress | kNeedsObject},
    {"borrow", "borrows", "borrowed", "borrowing", "", "emprunter", "", kPerson, kHandy | kClothes | kVehicle, kNeedsObject},
    {"steal", "steals", "stole", "stealing", "", "voler", "", kPerson, kFood | kHandy | kVehicle, kNeedsObject},
    {"build", "builds", "built", "building", "", "construire", "", kPerson, kIndoor, kNeedsObject},
    {"push", "pushes", "pushed", "pushing", "", "pousser", "", kPerson, kPerson | kThing | kVehicle, kNeedsObject},
    {"touch", "touches", "touched", "touching", "", "toucher", "", kLiving, kLiving | kThing | kHandy, kNeedsObject},
    {"receive", "receives", "received", "receiving", "", "recevoir", "", kPerson, kText, kNeedsObject},
    {"keep", "keeps", "kept", "keeping", "", "garder", "", kPerson, kHandy | kClothes | kPet, kNeedsObject},
    {"throw", "throws", "threw", "throwing", "", "jeter", "", kPerson, kFood | kHandy, kNeedsObject},
    {"feed", "feeds", "fed", "feeding", "", "nourrir", "", kPerson, kAnimal, kNeedsObject},
    {"catch", "catches", "caught", "catching", "", "attraper", "", kLiving, kAnimal, kNeedsObject},
    {"leave", "leaves", "left", "leaving", "", "quitter", "", kPerson, kPlaces, kNeedsObject},
    {"cross", "crosses", "crossed", "crossing", "", "traverser", "", kLiving, kRoom, kNeedsObject},
    {"drive", "drives", "drove", "driving", "", "conduire", "", kPerson, kRoad, kNeedsObject},
    {"hold", "holds", "held", "holding", "", "tenir", "", kPerson, kHandy, kNeedsObject},
    {"prepare", "prepares", "prepared", "preparing", "", "préparer", "", kPerson, kFood | kDrink, kNeedsObject | kSomewhere},
    {"taste", "tastes", "tasted", "tasting", "", "goûter", "", kPerson, kFood | kDrink, kNeedsObject},
    {"use", "uses", "used", "using", "", "utiliser", "", kPerson, kHandy | kVehicle, kNeedsObject},

    {"talk", "talks", "talked", "talking", "to", "parler", "à", kPerson, kLiving, kNeedsObject},
    {"answer", "answers", "answered", "answering", "", "répondre", "à", kPerson, kPerson, kNeedsObject},
    {"obey", "obeys", "obeyed", "obeying", "", "obéir", "à", kPerson, kPerson, kNeedsObject},
    {"smile", "smiles", "smiled", "smiling", "at", "sourire", "à", kPerson, kPerson, kNeedsObject},
    {"phone", "phones", "phoned", "phoning", "", "téléphoner", "à", kPerson, kPerson, kNeedsObject},
    {"write", "writes", "wrote", "writing", "to", "écrire", "à", kPerson, kPerson, kNeedsObject},
    {"go", "goes", "went", "going", "to", "aller", "à", kPerson, kGoal, kNeedsObject | kEtre},
    {"come", "comes", "came", "coming", "to", "venir", "à", kPerson, kGoal, kNeedsObject | kEtre},
    {"come", "comes", "came", "coming", "from", "venir", "de", kLiving, kPlaces, kNeedsObject | kEtre},
    {"return", "returns", "returned", "returning", "to", "retourner", "à", kPerson, kGoal, kNeedsObject | kEtre},
    {"arrive", "arrives", "arrived", "arriving", "at", "arriver", "à", kPerson, kGoal, kNeedsObject | kEtre},
    {"enter", "enters", "entered", "entering", "", "entrer", "dans", kLiving, kRoom, kNeedsObject | kEtre},
    {"live", "lives", "lived", "living", "in", "habiter", "dans", kPerson, kHome, kNeedsObject | kState},

    {"sleep", "sleeps", "slept", "sleeping", "", "dormir", "", kLiving, 0, kManner | kSomewhere},
    {"work", "works", "worked", "working", "", "travailler", "", kPerson, 0, kManner | kSomewhere},
    {"sing", "sings", "sang", "singing", "", "chanter", "", kPerson, 0, kManner | kSomewhere},
    {"dance", "dances", "danced", "dancing", "", "danser", "", kPerson, 0, kManner | kSomewhere},
    {"laugh", "laughs", "laughed", "laughing", "", "rire", "", kPerson, 0, kSomewhere},
    {"cry", "cries", "cried", "crying", "", "pleurer", "", kPerson, 0, kSomewhere},
    {"run", "runs", "ran", "running", "", "courir", "", kLiving, 0, kManner | kSomewhere},
    {"walk", "walks", "walked", "walking", "", "marcher", "", kLiving, 0, kManner | kSomewhere},
    {"swim", "swims", "swam", "swimming", "", "nager", "", kLiving, 0, kManner},
    {"play", "plays", "played", "playing", "", "jouer", "", kLiving, 0, kManner | kSomewhere},
    {"travel", "travels", "travelled", "travelling", "", "voyager", "", kPerson, 0, 0},
    {"study", "studies", "studied", "studying", "", "étudier", "", kPerson, 0, kSomewhere},
    {"shout", "shouts", "shouted", "shouting", "", "crier", "", kPerson, 0, kSomewhere},
    {"arrive", "arrives", "arrived", "arriving", "", "arriver", "", kLiving, 0, kEtre},
    {"fall", "falls", "fell", "falling", "", "tomber", "", kLiving, 0, kEtre | kSomewhere},
    {"stay", "stays", "stayed", "staying", "", "rester", "", kLiving, 0, kEtre | kSomewhere},
    {"come", "comes", "came", "coming", "back", "revenir", "", kLiving, 0, kEtre},
    {"go", "goes", "went", "going", "out", "sortir", "", kLiving, 0, kEtre},
    {"wake", "wakes", "woke", "waking", "up", "réveiller", "", kLiving, 0, kReflexive},
    {"get", "gets", "got", "getting", "up", "lever", "", kPerson, 0, kReflexive},
    {"sit", "sits", "sat", "sitting", "down", "asseoir", "", kLiving, 0, kReflexive | kSomewhere},
    {"rest", "rests", "rested", "resting", "", "reposer", "", kLiving, 0, kReflexive | kSomewhere},
    {"stop", "stops", "stopped", "stopping", "", "arrêter", "", kLiving, 0, kReflexive},
    {"hurry", "hurries", "hurried", "hurrying", "", "dépêcher", "", kPerson, 0, kReflexive},

    {"say", "says", "said", "saying", "", "dire", "", kPerson, 0, kThatClause | kNoProgress},
    {"think", "thinks", "thought", "thinking", "", "penser", "", kPerson, 0, kThatClause | kState | kNoProgress},
    {"believe", "believes", "believed", "believing", "", "croire", "", kPerson, 0, kThatClause | kState | kNoProgress},
    {"hope", "hopes", "hoped", "hoping", "", "espérer", "", kPerson, 0, kThatClause | kState | kNoProgress},
};
// clang-format on

constexpr Entry kBe = {"be",   "is", "was",     "being", "",
                       "être", "",   kAnything, 0,       kState | kNoProgress | kNeedsObject};
constexpr Entry kKnowThat = {
    "know",   "knows", "knew",  "knowing", "",
    "savoir", "",      kPerson, 0,         kThatClause | kState | kNoProgress};

Verb made(const Entry& e) {
  return {.english = e.english,
          .third = e.third,
          .past = e.past,
          .progressive = e.progressive,
          .particle = e.particle,
          .french = conjugated(e.french),
          .preposition = e.preposition,
          .subject = e.subject,
          .object = e.object,
          .traits = e.traits};
}

}  // namespace

FrenchVerb conjugated(std::string_view infinitive) {
  for (const Irregular& verb : kIrregular) {
    if (verb.infinitive != infinitive) continue;
    FrenchVerb result{.infinitive = std::string(infinitive),
                      .present = {},
                      .imperfect = {},
                      .future = {},
                      .participle = std::string(verb.participle)};
    std::copy(verb.present.begin(), verb.present.end(), result.present.begin());
    return completed(std::move(result), std::string(verb.future));
  }
  if (infinitive.ends_with("er")) return conjugated_er(infinitive);
  if (infinitive.ends_with("ir")) return conjugated_ir(infinitive);
  if (infinitive.ends_with("re")) return conjugated_re(infinitive);
  fail("'{}' is no French infinitive", infinitive);
}

std::span<const Verb> verbs() {
  static const std::vector<Verb> all = [] {
    std::vector<Verb> result;
    for (const Entry& entry : kVerbs) result.push_back(made(entry));
    return result;
  }();
  return all;
}

const Verb& verb(std::string_view english) {
  for (const Verb& verb : verbs()) {
    std::string called(verb.english);
    if (!verb.particle.empty()) (called += ' ') += verb.particle;
    if (called == english) return verb;
  }
  fail("the bilingual world has no verb '{}'", english);
}

const Verb& to_be() {
  static const Verb be = made(kBe);
  return be;
}

const Verb& to_know_that() {
  static const Verb know = made(kKnowThat);
  return know;
}

}  // namespace fovea::world
