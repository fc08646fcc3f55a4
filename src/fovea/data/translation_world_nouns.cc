// Nouns, names and adjectives of the bilingual world.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/translation_world_lexicon.h"

namespace fovea::world {
namespace {

constexpr Gender kM = Gender::kMasculine;
constexpr Gender kF = Gender::kFeminine;

// clang-format off
constexpr Noun kNouns[] = {
    {"man", "men", "homme", "hommes", kM, kPerson},
    {"woman", "women", "femme", "femmes", kF, kPerson},
    {"boy", "boys", "garçon", "garçons", kM, kPerson},
    {"girl", "girls", "fille", "filles", kF, kPerson},
    {"child", "children", "enfant", "enfants", kM, kPerson},
    {"friend", "friends", "ami", "amis", kM, kPerson | kOwn},
    {"teacher", "teachers", "professeur", "professeurs", kM, kPerson | kOwn},
    {"doctor", "doctors", "médecin", "médecins", kM, kPerson | kOwn},
    {"neighbour", "neighbours", "voisin", "voisins", kM, kPerson | kOwn},
    {"mother", "mothers", "mère", "mères", kF, kPerson | kOwn | kOnlyOne},
    {"father", "fathers", "père", "pères", kM, kPerson | kOwn | kOnlyOne},
    {"brother", "brothers", "frère", "frères", kM, kPerson | kOwn},
    {"sister", "sisters", "sœur", "sœurs", kF, kPerson | kOwn},
    {"son", "sons", "fils", "fils", kM, kPerson | kOwn},
    {"uncle", "uncles", "oncle", "oncles", kM, kPerson | kOwn},
    {"aunt", "aunts", "tante", "tantes", kF, kPerson | kOwn},
    {"grandmother", "grandmothers", "grand-mère", "grands-mères", kF, kPerson | kOwn},
    {"king", "kings", "roi", "rois", kM, kPerson},
    {"queen", "queens", "reine", "reines", kF, kPerson},
    {"princess", "princesses", "princesse", "princesses", kF, kPerson},
    {"baker", "bakers", "boulanger", "boulangers", kM, kPerson},
    {"nurse", "nurses", "infirmière", "infirmières", kF, kPerson},
    {"actress", "actresses", "actrice", "actrices", kF, kPerson},
    {"student", "students", "étudiant", "étudiants", kM, kPerson | kOwn},
    {"waitress", "waitresses", "serveuse", "serveuses", kF, kPerson},
    {"worker", "workers", "ouvrier", "ouvriers", kM, kPerson},
    {"lady", "ladies", "dame", "dames", kF, kPerson},
    {"lawyer", "lawyers", "avocat", "avocats", kM, kPerson | kOwn},
    {"writer", "writers", "écrivain", "écrivains", kM, kPerson},
    {"soldier", "soldiers", "soldat", "soldats", kM, kPerson},
    {"tourist", "tourists", "touriste", "touristes", kM, kPerson},
    {"hero", "heroes", "héros", "héros", kM, kPerson},
    {"policeman", "policemen", "policier", "policiers", kM, kPerson},

    {"dog", "dogs", "chien", "chiens", kM, kAnimal | kPet | kOwn},
    {"cat", "cats", "chat", "chats", kM, kAnimal | kPet | kOwn},
    {"horse", "horses", "cheval", "chevaux", kM, kAnimal | kPet | kOwn},
    {"bird", "birds", "oiseau", "oiseaux", kM, kAnimal},
    {"cow", "cows", "vache", "vaches", kF, kAnimal | kPet | kOwn},
    {"rabbit", "rabbits", "lapin", "lapins", kM, kAnimal | kPet | kOwn},
    {"duck", "ducks", "canard", "canards", kM, kAnimal | kPet | kOwn},
    {"hen", "hens", "poule", "poules", kF, kAnimal | kPet | kOwn},
    {"mouse", "mice", "souris", "souris", kF, kAnimal},
    {"bear", "bears", "ours", "ours", kM, kAnimal},
    {"wolf", "wolves", "loup", "loups", kM, kAnimal},
    {"owl", "owls", "hibou", "hiboux", kM, kAnimal},
    {"donkey", "donkeys", "âne", "ânes", kM, kAnimal | kPet | kOwn},
    {"elephant", "elephants", "éléphant", "éléphants", kM, kAnimal},
    {"goat", "goats", "chèvre", "chèvres", kF, kAnimal | kPet | kOwn},
    {"fox", "foxes", "renard", "renards", kM, kAnimal},
    {"frog", "frogs", "grenouille", "grenouilles", kF, kAnimal},
    {"squirrel", "squirrels", "écureuil", "écureuils", kM, kAnimal},

    {"apple", "apples", "pomme", "pommes", kF, kFood},
    {"orange", "oranges", "orange", "oranges", kF, kFood},
    {"pear", "pears", "poire", "poires", kF, kFood},
    {"cake", "cakes", "gâteau", "gâteaux", kM, kFood},
    {"egg", "eggs", "œuf", "œufs", kM, kFood},
    {"tomato", "tomatoes", "tomate", "tomates", kF, kFood},
    {"carrot", "carrots", "carotte", "carottes", kF, kFood},
    {"onion", "onions", "oignon", "oignons", kM, kFood},
    {"strawberry", "strawberries", "fraise", "fraises", kF, kFood},
    {"cherry", "cherries", "cerise", "cerises", kF, kFood},
    {"bean", "beans", "haricot", "haricots", kM, kFood},
    {"mushroom", "mushrooms", "champignon", "champignons", kM, kFood},
    {"banana", "bananas", "banane", "bananes", kF, kFood},
    {"lemon", "lemons", "citron", "citrons", kM, kFood},
    {"apricot", "apricots", "abricot", "abricots", kM, kFood},
    {"pie", "pies", "tarte", "tartes", kF, kFood},

    {"bread", "", "pain", "", kM, kFood},
    {"meat", "", "viande", "", kF, kFood},
    {"cheese", "", "fromage", "", kM, kFood},
    {"rice", "", "riz", "", kM, kFood},
    {"soup", "", "soupe", "", kF, kFood},
    {"butter", "", "beurre", "", kM, kFood},
    {"honey", "", "miel", "", kM, kFood},
    {"jam", "", "confiture", "", kF, kFood},
    {"ham", "", "jambon", "", kM, kFood},
    {"water", "", "eau", "", kF, kDrink},
    {"milk", "", "lait", "", kM, kDrink},
    {"coffee", "", "café", "", kM, kDrink},
    {"tea", "", "thé", "", kM, kDrink},
    {"wine", "", "vin", "", kM, kDrink},
    {"beer", "", "bière", "", kF, kDrink},
    {"juice", "", "jus", "", kM, kDrink},

    {"book", "books", "livre", "livres", kM, kText | kHandy},
    {"newspaper", "newspapers", "journal", "journaux", kM, kText | kHandy},
    {"letter", "letters", "lettre", "lettres", kF, kText | kHandy},
    {"poem", "poems", "poème", "poèmes", kM, kText},
    {"story", "stories", "histoire", "histoires", kF, kText},
    {"message", "messages", "message", "messages", kM, kText},
    {"key", "keys", "clé", "clés", kF, kHandy},
    {"knife", "knives", "couteau", "couteaux", kM, kHandy},
    {"fork", "forks", "fourchette", "fourchettes", kF, kHandy},
    {"spoon", "spoons", "cuillère", "cuillères", kF, kHandy},
    {"plate", "plates", "assiette", "assiettes", kF, kHandy},
    {"glass", "glasses", "verre", "verres", kM, kHandy | kContainer},
    {"bottle", "bottles", "bouteille", "bouteilles", kF, kHandy | kContainer},
    {"cup", "cups", "tasse", "tasses", kF, kHandy | kContainer},
    {"bag", "bags", "sac", "sacs", kM, kHandy | kOpening},
    {"box", "boxes", "boîte", "boîtes", kF, kHandy | kOpening},
    {"suitcase", "suitcases", "valise", "valises", kF, kHandy | kOpening},
    {"basket", "baskets", "panier", "paniers", kM, kHandy},
    {"umbrella", "umbrellas", "parapluie", "parapluies", kM, kHandy},
    {"toy", "toys", "jouet", "jouets", kM, kHandy},
    {"ball", "balls", "ballon", "ballons", kM, kHandy},
    {"doll", "dolls", "poupée", "poupées", kF, kHandy},
    {"guitar", "guitars", "guitare", "guitares", kF, kHandy},
    {"pencil", "pencils", "crayon", "crayons", kM, kHandy},
    {"ring", "rings", "bague", "bagues", kF, kHandy},
    {"jewel", "jewels", "bijou", "bijoux", kM, kHandy},
    {"gift", "gifts", "cadeau", "cadeaux", kM, kHandy},
    {"photo", "photos", "photo", "photos", kF, kHandy},
    {"candle", "candles", "bougie", "bougies", kF, kHandy},
    {"table", "tables", "table", "tables", kF, kThing | kSurface},
    {"chair", "chairs", "chaise", "chaises", kF, kThing | kSurface},
    {"bed", "beds", "lit", "lits", kM, kThing | kSurface},
    {"armchair", "armchairs", "fauteuil", "fauteuils", kM, kThing | kSurface},
    {"carpet", "carpets", "tapis", "tapis", kM, kThing | kSurface},
    {"lamp", "lamps", "lampe", "lampes", kF, kThing},
    {"mirror", "mirrors", "miroir", "miroirs", kM, kThing},
    {"painting", "paintings", "tableau", "tableaux", kM, kThing},
    {"clock", "clocks", "horloge", "horloges", kF, kThing},
    {"computer", "computers", "ordinateur", "ordinateurs", kM, kThing},
    {"ladder", "ladders", "échelle", "échelles", kF, kThing},
    {"piano", "pianos", "piano", "pianos", kM, kThing},
    {"door", "doors", "porte", "portes", kF, kOpening},
    {"window", "windows", "fenêtre", "fenêtres", kF, kOpening},
    {"drawer", "drawers", "tiroir", "tiroirs", kM, kOpening},
    {"hat", "hats", "chapeau", "chapeaux", kM, kClothes},
    {"coat", "coats", "manteau", "manteaux", kM, kClothes},
    {"dress", "dresses", "robe", "robes", kF, kClothes},
    {"shirt", "shirts", "chemise", "chemises", kF, kClothes},
    {"scarf", "scarves", "écharpe", "écharpes", kF, kClothes},
    {"skirt", "skirts", "jupe", "jupes", kF, kClothes},

    {"car", "cars", "voiture", "voitures", kF, kVehicle | kRoad},
    {"bicycle", "bicycles", "vélo", "vélos", kM, kVehicle},
    {"boat", "boats", "bateau", "bateaux", kM, kVehicle},
    {"train", "trains", "train", "trains", kM, kTransit},
    {"plane", "planes", "avion", "avions", kM, kTransit},
    {"truck", "trucks", "camion", "camions", kM, kVehicle | kRoad},

    {"house", "houses", "maison", "maisons", kF, kRoom | kOwn | kIndoor | kHome},
    {"garden", "gardens", "jardin", "jardins", kM, kRoom | kGoal | kOwn},
    {"school", "schools", "école", "écoles", kF, kRoom | kGoal | kOwn | kIndoor},
    {"market", "markets", "marché", "marchés", kM, kGoal},
    {"station", "stations", "gare", "gares", kF, kGoal},
    {"church", "churches", "église", "églises", kF, kRoom | kGoal | kIndoor},
    {"hotel", "hotels", "hôtel", "hôtels", kM, kRoom | kGoal | kIndoor | kHome},
    {"hospital", "hospitals", "hôpital", "hôpitaux", kM, kRoom | kGoal | kIndoor},
    {"restaurant", "restaurants", "restaurant", "restaurants", kM, kRoom | kGoal | kIndoor},
    {"shop", "shops", "magasin", "magasins", kM, kRoom | kGoal | kOwn | kIndoor},
    {"bank", "banks", "banque", "banques", kF, kRoom | kGoal | kIndoor},
    {"museum", "museums", "musée", "musées", kM, kRoom | kGoal | kIndoor},
    {"village", "villages", "village", "villages", kM, kRoom | kGoal | kOwn | kHome},
    {"town", "towns", "ville", "villes", kF, kRoom | kOwn | kHome},
    {"beach", "beaches", "plage", "plages", kF, kGoal},
    {"forest", "forests", "forêt", "forêts", kF, kRoom},
    {"park", "parks", "parc", "parcs", kM, kRoom | kGoal},
    {"street", "streets", "rue", "rues", kF, kRoom | kOwn | kHome},
    {"bridge", "bridges", "pont", "ponts", kM, kSurface | kNature},
    {"office", "offices", "bureau", "bureaux", kM, kRoom | kGoal | kOwn | kIndoor},
    {"kitchen", "kitchens", "cuisine", "cuisines", kF, kRoom | kOwn | kIndoor},
    {"library", "libraries", "bibliothèque", "bibliothèques", kF, kRoom | kGoal | kIndoor},
    {"theatre", "theatres", "théâtre", "théâtres", kM, kRoom | kGoal | kIndoor},
    {"castle", "castles", "château", "châteaux", kM, kRoom | kGoal | kIndoor | kHome},
    {"farm", "farms", "ferme", "fermes", kF, kGoal | kOwn},
    {"airport", "airports", "aéroport", "aéroports", kM, kRoom | kGoal | kIndoor},
    {"university", "universities", "université", "universités", kF, kGoal},
    {"factory", "factories", "usine", "usines", kF, kRoom | kGoal | kIndoor},
    {"tree", "trees", "arbre", "arbres", kM, kNature | kOwn},
    {"flower", "flowers", "fleur", "fleurs", kF, kNature | kOwn},
    {"river", "rivers", "rivière", "rivières", kF, kNature},
    {"mountain", "mountains", "montagne", "montagnes", kF, kNature},
    {"rose", "roses", "rose", "roses", kF, kNature | kOwn},
};

constexpr Name kNames[] = {
    {"Paul", kM}, {"Marie", kF}, {"Luc", kM}, {"Anne", kF}, {"Henri", kM}, {"Claire", kF},
    {"Thomas", kM}, {"Sophie", kF}, {"Louis", kM}, {"Alice", kF}, {"Antoine", kM}, {"Julie", kF},
    {"Marc", kM}, {"Emma", kF}, {"Daniel", kM}, {"Sarah", kF},
};

constexpr Kinds kMade = kObjects | kOpening | kVehicle | kTransit;

constexpr Adjective kAdjectives[] = {
    {"little", "petit", "petite", kLiving | kMade | kIndoor, true},
    {"big", "grand", "grande", kAnimal | kMade | kPlaces | kNature, true},
    {"old", "vieux", "vieille", kLiving | kMade | kPlaces, true, "vieil"},
    {"beautiful", "beau", "belle", kAnimal | kMade | kPlaces | kNature, true, "bel"},
    {"new", "nouveau", "nouvelle", kMade | kIndoor, true, "nouvel"},
    {"good", "bon", "bonne", kFood | kDrink | kText, true},
    {"bad", "mauvais", "mauvaise", kFood | kDrink | kText, true},
    {"young", "jeune", "jeune", kLiving, true},
    {"pretty", "joli", "jolie", kMade | kIndoor | kNature, true},
    {"red", "rouge", "rouge", kThing | kHandy | kClothes | kOpening | kVehicle},
    {"blue", "bleu", "bleue", kThing | kHandy | kClothes | kOpening | kVehicle},
    {"green", "vert", "verte", kThing | kHandy | kClothes | kOpening | kVehicle},
    {"white", "blanc", "blanche", kAnimal | kThing | kHandy | kClothes | kOpening | kVehicle},
    {"black", "noir", "noire", kAnimal | kThing | kHandy | kClothes | kOpening | kVehicle},
    {"yellow", "jaune", "jaune", kThing | kHandy | kClothes | kVehicle},
    {"grey", "gris", "grise", kAnimal | kThing | kHandy | kClothes | kVehicle},
    {"happy", "heureux", "heureuse", kPerson | kPassing},
    {"unhappy", "malheureux", "malheureuse", kPerson | kPassing},
    {"sad", "triste", "triste", kPerson | kPassing},
    {"tired", "fatigué", "fatiguée", kLiving | kPassing},
    {"rich", "riche", "riche", kPerson},
    {"poor", "pauvre", "pauvre", kPerson},
    {"intelligent", "intelligent", "intelligente", kLiving},
    {"kind", "gentil", "gentille", kPerson},
    {"famous", "célèbre", "célèbre", kPerson | kText | kGoal},
    {"strong", "fort", "forte", kLiving},
    {"lazy", "paresseux", "paresseuse", kLiving},
    {"brave", "courageux", "courageuse", kPerson},
    {"polite", "poli", "polie", kPerson},
    {"shy", "timide", "timide", kPerson},
    {"serious", "sérieux", "sérieuse", kPerson},
    {"funny", "drôle", "drôle", kPerson | kText},
    {"proud", "fier", "fière", kPerson | kPassing},
    {"sick", "malade", "malade", kLiving | kPassing},
    {"curious", "curieux", "curieuse", kLiving},
    {"honest", "honnête", "honnête", kPerson},
    {"loyal", "loyal", "loyale", kPerson},
    {"jealous", "jaloux", "jalouse", kPerson | kPassing},
    {"worried", "inquiet", "inquiète", kPerson | kPassing},
    {"elegant", "élégant", "élégante", kPerson | kClothes},
    {"French", "français", "française", kPerson | kText},
    {"English", "anglais", "anglaise", kPerson | kText},
    {"Italian", "italien", "italienne", kPerson | kVehicle},
    {"expensive", "cher", "chère", kThing | kHandy | kClothes | kVehicle},
    {"heavy", "lourd", "lourde", kThing | kHandy},
    {"clean", "propre", "propre", kThing | kHandy | kClothes | kOpening | kVehicle | kIndoor | kPassing},
    {"dirty", "sale", "sale", kThing | kHandy | kClothes | kOpening | kVehicle | kIndoor | kPassing},
    {"broken", "cassé", "cassée", kThing | kOpening},
    {"empty", "vide", "vide", kContainer | kIndoor | kOpening | kPassing},
    {"modern", "moderne", "moderne", kThing | kVehicle | kIndoor},
    {"dark", "sombre", "sombre", kIndoor},
    {"quiet", "calme", "calme", kPerson | kRoom | kPassing},
    {"noisy", "bruyant", "bruyante", kIndoor | kVehicle | kPassing},
    {"cold", "froid", "froide", kDrink},
    {"hot", "chaud", "chaude", kDrink},
    {"fresh", "frais", "fraîche", kFood},
    {"delicious", "délicieux", "délicieuse", kFood | kDrink},
    {"dangerous", "dangereux", "dangereuse", kAnimal | kVehicle},
    {"useful", "utile", "utile", kHandy | kText | kThing},
    {"interesting", "intéressant", "intéressante", kText | kPlaces},
    {"important", "important", "importante", kPerson | kText},
    {"long", "long", "longue", kText | kClothes, true},
};
// clang-format on

const auto& find(auto&& table, std::string_view word, auto&& name_of) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const auto& entry) { return name_of(entry) == word; });
  if (found == std::end(table)) fail("the bilingual world has no word '{}'", word);
  return *found;
}

}  // namespace

std::string Adjective::form(Gender gender, Number number) const {
  std::string text(gender == Gender::kFeminine ? feminine : masculine);
  if (number == Number::kSingular || text.ends_with('s') || text.ends_with('x')) return text;
  if (text.ends_with("eau")) return text + "x";
  if (text.ends_with("al")) return text.substr(0, text.size() - 1) + "ux";
  return text + "s";
}

std::span<const Noun> nouns() { return kNouns; }
std::span<const Name> names() { return kNames; }
std::span<const Adjective> adjectives() { return kAdjectives; }

const Noun& noun(std::string_view english) {
  return find(kNouns, english, [](const Noun& n) { return n.english; });
}
const Name& name(std::string_view text) {
  return find(kNames, text, [](const Name& n) { return n.text; });
}
const Adjective& adjective(std::string_view english) {
  return find(kAdjectives, english, [](const Adjective& a) { return a.english; });
}

}  // namespace fovea::world
