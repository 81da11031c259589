"""Tables of nouns, adjectives and verbs, with the English words on the left of the Italian ones.

Every form of every word is written out, so no rule has to guess any. The last columns say which
words go together, so that a person reads a letter and eats a pear, and not the other way round.
A "_" is a space inside an English verb ("look_for").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ADJECTIVES",
    "BE",
    "BEAUTIFUL",
    "COMPANIONS",
    "MOVES",
    "NAMES",
    "NOUNS",
    "PLAYS_WITH",
    "POSSESSIVES",
    "VERBS",
    "Adjective",
    "Gender",
    "Noun",
    "Number",
    "Verb",
]  # fmt: skip

Gender = Literal["m", "f"]
Number = Literal["s", "p"]  # singular, plural


@dataclass(frozen=True)
class Noun:
    """A noun in its two numbers, each with its gender: *l'uovo* (m), but *le uova* (f)."""

    english: tuple[str, str]
    italian: tuple[str, str]
    genders: tuple[Gender, Gender]
    kinds: frozenset[str]

    def gender(self, number: Number) -> Gender:
        return self.genders[number == "p"]


@dataclass(frozen=True)
class Adjective:
    """An adjective; its Italian forms are masculine and feminine singular, then both plurals."""

    english: str
    italian: tuple[str, str, str, str]
    kinds: frozenset[str]  # of the nouns that it may describe

    def form(self, gender: Gender, number: Number) -> str:
        return self.italian[2 * (number == "p") + (gender == "f")]

    @property
    def one_gender(self) -> bool:
        """Whether it is the same for men and women, as *felice*, *felici*."""
        return self.italian[0] == self.italian[1] and self.italian[2] == self.italian[3]


@dataclass(frozen=True)
class Verb:
    """A verb in the present: English base and third person; Italian io, tu, lei, noi, voi, loro."""

    english: tuple[str, str]
    italian: tuple[str, ...]
    subjects: frozenset[str]
    objects: frozenset[str]

    def form(self, person: int, number: Number) -> str:
        return self.italian[3 * (number == "p") + person - 1]


def _rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def _nouns(table: str) -> tuple[Noun, ...]:
    return tuple(
        Noun((one, many), (uno, molti), (g[0], g[-1]), frozenset(kinds))  # type: ignore[arg-type]
        for one, many, uno, molti, g, *kinds in _rows(table)
    )


def _adjectives(table: str) -> tuple[Adjective, ...]:
    return tuple(
        Adjective(english, (ms, fs, mp, fp), frozenset(kinds))
        for english, ms, fs, mp, fp, *kinds in _rows(table)
    )


def _verbs(table: str) -> tuple[Verb, ...]:
    verbs = []
    for base, third, *rest in _rows(table):
        bar = rest.index("|")
        english = (base.replace("_", " "), third.replace("_", " "))
        subjects, objects = frozenset(rest[6:bar]), frozenset(rest[bar + 1 :])
        verbs.append(Verb(english, tuple(rest[:6]), subjects, objects))
    return tuple(verbs)


# Singular and plural, gender (of the singular and of the plural where they differ), kinds.
NOUNS = _nouns("""
man           men           uomo         uomini       m  person
woman         women         donna        donne        f  person
boy           boys          ragazzo      ragazzi      m  person
girl          girls         ragazza      ragazze      f  person
king          kings         re           re           m  person
queen         queens        regina       regine       f  person
actor         actors        attore       attori       m  person
actress       actresses     attrice      attrici      f  person
waiter        waiters       cameriere    camerieri    m  person
waitress      waitresses    cameriera    cameriere    f  person
gnome         gnomes        gnomo        gnomi        m  person
witch         witches       strega       streghe      f  person
sister        sisters       sorella      sorelle      f  family
brother       brothers      fratello     fratelli     m  family
aunt          aunts         zia          zie          f  family
uncle         uncles        zio          zii          m  family
daughter      daughters     figlia       figlie       f  family
son           sons          figlio       figli        m  family
grandmother   grandmothers  nonna        nonne        f  family
grandfather   grandfathers  nonno        nonni        m  family
cat           cats          gatto        gatti        m  animal
dog           dogs          cane         cani         m  animal
horse         horses        cavallo      cavalli      m  animal
bird          birds         uccello      uccelli      m  animal singer
squirrel      squirrels     scoiattolo   scoiattoli   m  animal
goose         geese         oca          oche         f  animal
mouse         mice          topo         topi         m  animal
cow           cows          mucca        mucche       f  animal
elephant      elephants     elefante     elefanti     m  animal
fox           foxes         volpe        volpi        f  animal
wolf          wolves        lupo         lupi         m  animal
eagle         eagles        aquila       aquile       f  animal
monkey        monkeys       scimmia      scimmie      f  animal
frog          frogs         rana         rane         f  animal singer
bear          bears         orso         orsi         m  animal
zebra         zebras        zebra        zebre        f  animal
book          books         libro        libri        m  thing text
letter        letters       lettera      lettere      f  thing text
newspaper     newspapers    giornale     giornali     m  thing text
mirror        mirrors       specchio     specchi      m  thing
key           keys          chiave       chiavi       f  thing
umbrella      umbrellas     ombrello     ombrelli     m  thing opens
clock         clocks        orologio     orologi      m  thing
hat           hats          cappello     cappelli     m  thing clothes
shoe          shoes         scarpa       scarpe       f  thing clothes
shirt         shirts        camicia      camicie      f  thing clothes
flower        flowers       fiore        fiori        m  thing
star          stars         stella       stelle       f  sight
door          doors         porta        porte        f  thing opens
window        windows       finestra     finestre     f  thing opens
backpack      backpacks     zaino        zaini        m  thing opens holds
bag           bags          borsa        borse        f  thing opens holds
box           boxes         scatola      scatole      f  thing opens holds
wardrobe      wardrobes     armadio      armadi       m  thing opens holds
table         tables        tavolo       tavoli       m  thing top
chair         chairs        sedia        sedie        f  thing top
stool         stools        sgabello     sgabelli     m  thing top
guitar        guitars       chitarra     chitarre     f  thing instrument
violin        violins       violino      violini      m  thing instrument
harp          harps         arpa         arpe         f  thing instrument
apple         apples        mela         mele         f  food
orange        oranges       arancia      arance       f  food
pear          pears         pera         pere         f  food
egg           eggs          uovo         uova         mf food
cake          cakes         torta        torte        f  food
sandwich      sandwiches    panino       panini       m  food
garden        gardens       giardino     giardini     m  place
park          parks         parco        parchi       m  place
room          rooms         stanza       stanze       f  place
kitchen       kitchens      cucina       cucine       f  place
city          cities        città        città        f  place
hotel         hotels        albergo      alberghi     m  place
castle        castles       castello     castelli     m  place
forest        forests       foresta      foreste      f  place
zoo           zoos          zoo          zoo          m  place
stadium       stadiums      stadio       stadi        m  place
school        schools       scuola       scuole       f  place
island        islands       isola        isole        f  sight top
bridge        bridges       ponte        ponti        m  sight top
tree          trees         albero       alberi       m  sight
""")

# English; masculine and feminine singular, masculine and feminine plural; the nouns it goes with.
ADJECTIVES = _adjectives("""
lovely        adorabile    adorabile    adorabili    adorabili    person animal thing place
strange       strano       strana       strani       strane       person animal thing food place sight
tired         stanco       stanca       stanchi      stanche      person family animal
happy         felice       felice       felici       felici       person family animal
sad           triste       triste       tristi       tristi       person family animal
kind          gentile      gentile      gentili      gentili      person family
strong        forte        forte        forti        forti        person family animal
fast          veloce       veloce       veloci       veloci       person family animal
slow          lento        lenta        lenti        lente        person family animal
tall          alto         alta         alti         alte         person family
brave         coraggioso   coraggiosa   coraggiosi   coraggiose   person family animal
lazy          pigro        pigra        pigri        pigre        person family animal
nice          simpatico    simpatica    simpatici    simpatiche   person family animal
curious       curioso      curiosa      curiosi      curiose      person family animal
intelligent   intelligente intelligente intelligenti intelligenti person family animal
elegant       elegante     elegante     eleganti     eleganti     person family thing
famous        famoso       famosa       famosi       famose       person family place sight
young         giovane      giovane      giovani      giovani      person family animal
big           grande       grande       grandi       grandi       animal thing food place sight
small         piccolo      piccola      piccoli      piccole      animal thing food place sight
white         bianco       bianca       bianchi      bianche      animal thing food
black         nero         nera         neri         nere         animal thing
red           rosso        rossa        rossi        rosse        thing food
yellow        giallo       gialla       gialli       gialle       thing food
green         verde        verde        verdi        verdi        thing food
blue          blu          blu          blu          blu          thing
pink          rosa         rosa         rosa         rosa         thing
new           nuovo        nuova        nuovi        nuove        thing place
clean         pulito       pulita       puliti       pulite       thing place
dirty         sporco       sporca       sporchi      sporche      thing place animal
expensive     costoso      costosa      costosi      costose      thing food
heavy         pesante      pesante      pesanti      pesanti      thing
empty         vuoto        vuota        vuoti        vuote        holds place
quiet         tranquillo   tranquilla   tranquilli   tranquille   animal place
long          lungo        lunga        lunghi       lunghe       text
fresh         fresco       fresca       freschi      fresche      food
""")  # noqa: E501

# The only adjective here that precedes its noun. There its ending depends on the noun's first
# sound (`agreement.joined`): *un bel gatto*. These are its forms after *è*: *il gatto è bello*.
(BEAUTIFUL,) = _adjectives("""
beautiful     bello   bella   belli   belle   person family animal thing food place sight
""")

# English base and third person; Italian io, tu, lei, noi, voi, loro; subjects | objects.
VERBS = _verbs("""
see       sees       vedo     vedi     vede     vediamo    vedete    vedono     person family animal | person family animal thing food place sight
find      finds      trovo    trovi    trova    troviamo   trovate   trovano    person family animal | person family animal thing food place
look_for  looks_for  cerco    cerchi   cerca    cerchiamo  cercate   cercano    person family animal | person family animal thing food place
follow    follows    seguo    segui    segue    seguiamo   seguite   seguono    person family animal | person family animal
wait_for  waits_for  aspetto  aspetti  aspetta  aspettiamo aspettate aspettano  person family animal | person family
call      calls      chiamo   chiami   chiama   chiamiamo  chiamate  chiamano   person family        | person family animal
love      loves      amo      ami      ama      amiamo     amate     amano      person family        | person family animal place
have      has        ho       hai      ha       abbiamo    avete     hanno      person family        | animal thing food
buy       buys       compro   compri   compra   compriamo  comprate  comprano   person family        | animal thing food
sell      sells      vendo    vendi    vende    vendiamo   vendete   vendono    person family        | animal thing food
draw      draws      disegno  disegni  disegna  disegniamo disegnate disegnano  person family        | person animal thing food sight
read      reads      leggo    leggi    legge    leggiamo   leggete   leggono    person family        | text
write     writes     scrivo   scrivi   scrive   scriviamo  scrivete  scrivono   person family        | text
open      opens      apro     apri     apre     apriamo    aprite    aprono     person family        | opens
close     closes     chiudo   chiudi   chiude   chiudiamo  chiudete  chiudono   person family        | opens
clean     cleans     pulisco  pulisci  pulisce  puliamo    pulite    puliscono  person family        | opens top clothes
wash      washes     lavo     lavi     lava     laviamo    lavate    lavano     person family        | clothes food animal
eat       eats       mangio   mangi    mangia   mangiamo   mangiate  mangiano   person family animal | food
play      plays      suono    suoni    suona    suoniamo   suonate   suonano    person family        | instrument
""")  # noqa: E501

# To play an instrument is *suonare*, to play with someone is *giocare*: what follows decides.
(PLAYS_WITH,) = _verbs("""
play      plays      gioco    giochi   gioca    giochiamo  giocate   giocano    person family animal | family animal
""")  # noqa: E501

# Verbs without an object; they take a place instead.
MOVES = _verbs("""
sleep  sleeps  dormo    dormi    dorme    dormiamo   dormite    dormono    person family animal |
run    runs    corro    corri    corre    corriamo   correte    corrono    person family animal |
walk   walks   cammino  cammini  cammina  camminiamo camminate  camminano  person family animal |
live   lives   vivo     vivi     vive     viviamo    vivete     vivono     person family animal |
work   works   lavoro   lavori   lavora   lavoriamo  lavorate   lavorano   person family |
sing   sings   canto    canti    canta    cantiamo   cantate    cantano    person family singer |
dance  dances  ballo    balli    balla    balliamo   ballate    ballano    person family |
laugh  laughs  rido     ridi     ride     ridiamo    ridete     ridono     person family |
cry    cries   piango   piangi   piange   piangiamo  piangete   piangono   person family |
""")

BE = ("sono", "sei", "è", "siamo", "siete", "sono")

# Owner: English; Italian masculine and feminine singular, masculine and feminine plural.
POSSESSIVES = {
    (1, "s"): ("my", ("mio", "mia", "miei", "mie")),
    (2, "s"): ("your", ("tuo", "tua", "tuoi", "tue")),
    (2, "p"): ("your", ("vostro", "vostra", "vostri", "vostre")),
    (3, "m"): ("his", ("suo", "sua", "suoi", "sue")),
    (3, "f"): ("her", ("suo", "sua", "suoi", "sue")),
    (1, "p"): ("our", ("nostro", "nostra", "nostri", "nostre")),
    (3, "p"): ("their", ("loro", "loro", "loro", "loro")),
}

NAMES: tuple[tuple[str, Gender], ...] = (
    ("marco", "m"), ("luca", "m"), ("paolo", "m"), ("pietro", "m"),
    ("anna", "f"), ("maria", "f"), ("giulia", "f"), ("sara", "f"),
)  # fmt: skip

# English has one word for both; a name beside it decides: *la mia amica anna*.
COMPANIONS = _adjectives("""
friend        amico        amica        amici        amiche
neighbour     vicino       vicina       vicini       vicine
student       studente     studentessa  studenti     studentesse
colleague     collega      collega      colleghi     colleghe
""")
