"""Typed words: kinds, names, colours, signs; and words that learn."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inside import models_of, store_of
from saccade.engine import Engine
from saccade.engine.collection import Collection
from saccade.engine.loop.query import Query
from saccade.engine.request import SearchRequest
from saccade.engine.text.capability import TextCapability
from saccade.engine.text.fold import TaughtFold
from saccade.errors import InvalidInput, NotShown
from saccade.lexicon import Meaning
from saccade.types import Page

NONSENSE = "xqzzyv"
RECIPE = "embedding,color-moments"


def folder_of(path: str) -> str:
    return Path(path).parent.name


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


@pytest.fixture
def folders(engine: Engine) -> dict[str, list[str]]:
    """The pictures of each folder; folders are called by what they show."""
    found: dict[str, list[str]] = {}
    for record in engine.images():
        found.setdefault(folder_of(record.paths[0]), []).append(record.image_id)
    return found


def teach(engine: Engine, word: str, folder: str, user: str, count: int = 6) -> Page:
    """Mark the first pictures of a page: right are those of a folder."""
    first = next(r for r in engine.images() if folder_of(r.paths[0]) == folder)
    page = engine.search(first.image_id, text=word, user=user, k=36)
    shown = page.hits[:count]
    return engine.react(
        page,
        liked=[hit for hit in shown if folder_of(hit.path) == folder],
        disliked=[hit for hit in shown if folder_of(hit.path) != folder],
    )


# --- names ---------------------------------------------------------------------------------------


def test_a_word_finds_the_folder_of_its_name(engine: Engine, folders: dict[str, list[str]]) -> None:
    """In the singular and in the plural, without any embedding."""
    for typed, folder in (("harbour", "harbour"), ("Harbours", "harbour"), ("vase", "vases")):
        page = engine.search(text=typed, k=36)
        count = len(folders[folder])
        assert set(ids(page)[:count]) == set(folders[folder])
        assert [term.how for term in page.terms] == ["name"]
        assert not page.unknown


def test_pictures_that_come_while_words_are_read_wait_for_the_next_search(
    open_copy: Callable[[], Engine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text is ranked against the collection that it was read in, whatever arrives meanwhile."""
    engine, read = open_copy(), TextCapability.look_for
    images = len(engine)

    def and_meanwhile(
        self: TextCapability, request: SearchRequest, collection: Collection
    ) -> Query | None:
        query = read(self, request, collection)
        Image.new("RGB", (60, 40), "red").save(tmp_path / "late.png")
        engine.add(tmp_path)
        return query

    monkeypatch.setattr(TextCapability, "look_for", and_meanwhile)
    assert len(engine.search(text="harbour", k=100)) == images
    assert len(engine.search(text="harbour", k=100)) == len(engine) == images + 1


def test_a_minus_keeps_a_name_away(engine: Engine, folders: dict[str, list[str]]) -> None:
    """Pictures of a folder that is not meant come last."""
    page = engine.search(text="harbour -street", k=36)
    last = ids(page)[-len(folders["street"]) :]
    assert set(last) == set(folders["street"])


def test_a_tag_and_a_saved_search_are_words(engine: Engine, first: str) -> None:
    """What a person called pictures finds them, for that person."""
    engine.tags.add("favourite", [first], user="ana")
    page = engine.search(first, user="ana", k=5)
    liked = page.hits[0].image_id
    engine.react(page, liked=[liked])
    engine.sessions.save(page, "trip", user="ana")
    assert ids(engine.search(text="favourite", user="ana", k=36))[0] == first
    assert {*ids(engine.search(text="trip", user="ana", k=36))[:2]} == {first, liked}
    assert engine.search(text="favourite", user="bob").unknown == ("favourite",)


def test_what_is_written_into_a_file_is_a_word(engine: Engine, tmp_path: Path) -> None:
    """A keyword of its EXIF block finds a picture, after a restart too."""
    more = tmp_path / "more"
    more.mkdir()
    picture = Image.new("RGB", (120, 90), (80, 120, 160))
    exif = picture.getexif()
    exif[0x9C9E] = "kingfisher;xqzzyv".encode("utf-16-le")
    picture.save(more / "0001.jpg", exif=exif)
    engine.add(more)
    page = engine.search(text=NONSENSE, k=5)
    assert Path(page.hits[0].path).name == "0001.jpg"
    assert [term.how for term in page.terms] == ["name"]
    store = store_of(engine)
    assert store.columns.coverage()["captions", "1"] == len(engine)
    store.commit(retract=[("captions", None)])
    assert engine.search(text=NONSENSE).unknown == (NONSENSE,)
    engine.add(more)
    assert Path(engine.search(text=NONSENSE, k=5).hits[0].path).name == "0001.jpg"


# --- unknown words -------------------------------------------------------------------------------


def test_a_word_that_nobody_knows_is_no_error(engine: Engine) -> None:
    """An empty page that says so; there is nothing to mark on it."""
    page = engine.search(text=NONSENSE, k=5)
    assert (len(page), page.unknown, page.text) == (0, (NONSENSE,), NONSENSE)
    image = engine.images(0, 1)[0].image_id
    with pytest.raises(NotShown):
        engine.react(page, liked=[image])


def test_an_unknown_word_offers_those_spelled_like_it(engine: Engine) -> None:
    """Known nouns, and the folders of the collection."""
    assert "elephant" in engine.search(text="elefant").offered
    assert "tall building" in engine.search(text="tallbuilding").offered
    assert "harbour" in engine.search(text="harbuor").offered or (
        engine.search(text="harbuor").terms[0].word == "harbour"
    )


def test_a_known_word_beside_an_unknown_one_is_looked_for(
    engine: Engine, folders: dict[str, list[str]]
) -> None:
    """What is not known is said, and the rest is found."""
    page = engine.search(text=f"{NONSENSE} harbour", k=36)
    assert page.unknown == (NONSENSE,)
    assert ids(page)[0] in folders["harbour"]


@pytest.mark.parametrize(
    "text", ["", "  ", "of the", "-harbour", "x" * 501, "a\x00b", "\x1b[2J", "'; --"]
)
def test_what_cannot_be_looked_for_is_refused_and_leaves_no_trace(
    engine: Engine, text: str
) -> None:
    """A clear sentence, and no page in the log."""
    before = store_of(engine).log.last()
    with pytest.raises(InvalidInput):
        engine.search(text=text)
    assert store_of(engine).log.last() == before


def test_schemes_of_pictures_do_not_compare_words(engine: Engine) -> None:
    """Words have schemes of their own, which may be chosen from."""
    with pytest.raises(InvalidInput, match="schemes of their own"):
        engine.search(text="harbour", schemes=["lbp:l1"])
    page = engine.search(text="harbour", schemes=["text:names"], k=3)
    assert page.schemes == ("text:names",)
    assert engine.search(text=NONSENSE + "s", schemes=["text:kinds"]).unknown


# --- words that learn ----------------------------------------------------------------------------


def test_marks_teach_a_word(engine: Engine, folders: dict[str, list[str]]) -> None:
    """What was marked right, and the picture it began with, come first in the next search."""
    teach(engine, NONSENSE, "balloons", "ana")
    page = engine.search(text=NONSENSE, user="ana", k=36)
    assert (page.unknown, page.taught) == ((), 7)  # six marks, and the picture it began with
    assert not page.liked  # in this search nothing is marked yet
    marked = {*models_of(engine).of(TaughtFold).of("ana", NONSENSE).liked}
    assert set(ids(page)[: len(marked)]) == marked <= set(folders["balloons"])


def test_the_next_search_starts_where_this_one_ended(engine: Engine) -> None:
    """The same text by the same person later: the same pictures in the same order.

    A word's marks count once: its sessions say nothing more as evidence on links.
    """
    page = engine.search(text="harbour", user="ana", k=36)
    shown = ids(page)
    after = ids(engine.react(page, liked=shown[3:5], disliked=shown[:2], k=36))
    later = ids(engine.search(text="harbour", user="ana", k=36))
    assert {*after[:2]} == {*shown[3:5]}
    assert not {*shown[:2]} & {*after[:10]}
    assert later == after


def test_a_new_mark_goes_before_what_was_taught(engine: Engine) -> None:
    """Who changes their mind about a picture is heard."""
    teach(engine, NONSENSE, "balloons", "ana")
    page = engine.search(text=NONSENSE, user="ana", k=36)
    best = page.hits[0].image_id
    after = engine.react(page, disliked=[best])
    assert ids(after)[-1] == best or best not in ids(after)[:10]
    said = models_of(engine).of(TaughtFold).of("ana", NONSENSE)
    assert best in said.disliked
    assert best not in said.liked
    engine.react(after, cleared=[best])
    said = models_of(engine).of(TaughtFold).of("ana", NONSENSE)
    assert best not in (*said.liked, *said.disliked)


def test_one_teacher_changes_no_strangers_page(engine: Engine) -> None:
    """Neither where the word was unknown nor where it is a name."""
    known = ids(engine.search(text="harbour", user="bob", k=36))
    teach(engine, NONSENSE, "balloons", "ana")
    teach(engine, "harbour", "street", "ana")
    assert len(engine.search(text=NONSENSE, user="bob")) == 0
    assert ids(engine.search(text="harbour", user="bob", k=36)) == known


def test_what_two_people_agree_on_is_everybodys(engine: Engine) -> None:
    """A third finds it, and sees whose word it is; the two must have marked the same pictures."""
    teach(engine, NONSENSE, "balloons", "ana")
    teach(engine, NONSENSE, "balloons", "bob")
    shared = models_of(engine).of(TaughtFold).shared(NONSENSE, without="eva")
    page = engine.search(text=NONSENSE, user="eva", k=36)
    right = {image for image, vote in shared.items() if vote > 0}
    assert {*ids(page)[: len(right)]} == right
    assert page.hits[0].why["text:taught"] > 0


def test_people_who_disagree_teach_nobody_else(engine: Engine) -> None:
    """As many against as for a picture leave it out."""
    fold = TaughtFold(engine.recipe)
    assert fold.shared(NONSENSE, without="eva") == {}
    for user, folder in (("ana", "balloons"), ("bob", "street")):
        teach(engine, NONSENSE, folder, user, count=36)
    shared = models_of(engine).of(TaughtFold).shared(NONSENSE, without="eva")
    own = {user: models_of(engine).of(TaughtFold).of(user, NONSENSE) for user in ("ana", "bob")}
    fought = set(own["ana"].liked) & set(own["bob"].disliked)
    assert fought
    assert not fought & set(shared)


def test_a_taught_word_is_taken_back_forgotten_and_carried(engine: Engine, tmp_path: Path) -> None:
    """Undo, forget, export and import, replay: as with everything that is learned."""
    assert engine.text.taught(user="ana") == ()
    teach(engine, NONSENSE, "balloons", "ana")
    (word,) = engine.text.taught(user="ana")
    assert (word.word, word.sessions) == (NONSENSE, 1)
    assert engine.digest == engine.replay()
    exported = engine.people.export("ana")
    engine.people.import_("cleo", exported)
    (copy,) = engine.text.taught(user="cleo")
    assert (copy.liked, copy.disliked) == (word.liked, word.disliked)
    engine.undo("ana")
    assert engine.text.taught(user="ana") == ()
    assert len(engine.search(text=NONSENSE, user="ana")) == 0
    engine.forget("cleo")
    assert engine.text.taught(user="cleo") == ()
    assert engine.digest == engine.replay()


def test_a_page_of_words_is_the_same_after_a_restart(
    open_copy: Callable[..., Engine],
) -> None:
    """What the log keeps of a text is enough to go on with it."""
    engine = open_copy()
    teach(engine, NONSENSE, "balloons", "bob")
    teach(engine, NONSENSE, "balloons", "cleo")
    page = engine.search(text=f"harbour {NONSENSE}", user="ana", k=12)
    again = open_copy()
    assert ids(again.show(page, k=12)) == ids(page)
    marked = again.react(page, liked=[page.hits[3].image_id], k=12)
    assert marked.round == 1
    assert models_of(again).of(TaughtFold).words("ana").keys() == {f"harbour {NONSENSE}"}


def test_near_words_learn_a_little(kinds: Engine) -> None:
    """What was liked for one word speaks for a word that means much the same, and no other."""
    best = ids(kinds.search(text="ship", k=36))[:3]
    page = kinds.search(text="ship", user="ana", k=36)
    kinds.react(page, liked=best)
    near, far = (kinds.search(text=word, user="ana", k=36) for word in ("vessel", "pizza"))
    assert max(hit.why.get("text:taught", 0.0) for hit in near.hits) > 0
    assert not any(hit.why.get("text:taught") for hit in far.hits)


# --- what pictures show --------------------------------------------------------------------------


def holders(text: str) -> list[object]:
    """Everything in memory that holds a text that begins so, or what such a one means."""
    gc.collect()
    return [
        thing
        for thing in gc.get_objects()
        if (type(thing) is Meaning and thing.text.startswith(text))
        or (
            issubclass(type(thing), dict | tuple)  # of a dead proxy nothing else may be asked
            and any(isinstance(one, str) and one.startswith(text) for one in thing)
        )
    ]


def test_what_a_person_typed_is_forgotten_with_them(engine: Engine) -> None:
    """No cache keeps their words, taught or not; nobody else types them."""
    text = "".join(["pri", "vate", "word"])  # so that this file holds it nowhere
    teach(engine, text, "harbour", "cleo")
    teach(engine, "harbour", "harbour", "cleo")  # compared with what they taught before
    engine.search(text=f"{text} more", user="cleo")
    assert holders(text)
    engine.forget("cleo")
    assert holders(text) == []


@pytest.fixture(scope="module")
def described(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the embedding, whose files and folders say nothing; read only."""
    folder = tmp_path_factory.mktemp("plain")
    for number, file in enumerate(sorted(world.rglob("*.*"))):
        if file.suffix in (".jpg", ".png"):
            shutil.copy(file, folder / f"{number:03d}{file.suffix}")
    store = tmp_path_factory.mktemp("kinds") / "kinds.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(folder, recipe=RECIPE)
    return store


@pytest.fixture
def kinds(described: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a copy of it."""
    store = shutil.copytree(described, tmp_path / "kinds.saccade")
    with Engine(store, warm=False) as engine:
        yield engine


def surest(engine: Engine) -> tuple[str, str]:
    """The picture that shows one kind most surely, and the word for it."""
    said = [(w.probability, r.image_id, w.word)
            for r in engine.images() for w in engine.words_of(r.image_id) if w.kind]  # fmt: skip
    _, image, word = max(said)
    return image, word


def test_a_picture_is_found_by_the_word_for_what_it_shows(kinds: Engine) -> None:
    """The one that shows it most surely comes first, and the page says how it was read."""
    image, word = surest(kinds)
    page = kinds.search(text=word, k=36)
    assert ids(page)[0] == image
    assert page.terms[0].how == "kinds"
    assert word in page.terms[0].kinds


def test_the_parts_of_a_score_add_up_to_it(kinds: Engine) -> None:
    """Of words too: kinds, near words, colours; before and after a mark."""
    for text in ("ship", "party", "red ship -night", "blue"):
        page = kinds.search(text=text, k=36)
        assert page.hits
        after = kinds.react(page, disliked=[page.hits[0].image_id])
        for hit in (*page.hits, *after.hits):
            assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-9)


def test_a_store_from_before_needs_no_indexing(kinds: Engine) -> None:
    """Without the column of kinds the same pages come, from the embedding alone."""
    before = {text: ids(kinds.search(text=text, k=36)) for text in ("ship", "street", "animal")}
    store = store_of(kinds)
    store.commit(retract=[("kinds", None)])
    assert {text: ids(kinds.search(text=text, k=36)) for text in before} == before
    assert ("kinds", "1") not in store.columns.coverage()


def test_adding_pictures_says_what_they_show(kinds: Engine, tmp_path: Path) -> None:
    """The column covers every picture after `add`, and its rows are those of a whole run."""
    more = tmp_path / "more"
    more.mkdir()
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (90, 120, 3), np.uint8)).save(more / "noise.png")
    kinds.add(more)
    store = store_of(kinds)
    assert store.columns.coverage()["kinds", "1"] == len(kinds) == 37
    words = [kinds.words_of(record.image_id) for record in kinds.images()]
    store.commit(retract=[("kinds", None)])
    assert [kinds.words_of(record.image_id) for record in kinds.images()] == words


def test_a_word_asked_again_knows_what_came(kinds: Engine, tmp_path: Path) -> None:
    """What a text means is kept for one state of the collection, and no longer."""
    image, word = surest(kinds)
    assert ids(kinds.search(text=word, k=36))[0] == image
    more = tmp_path / "more"
    more.mkdir()
    with Image.open(kinds.image(image).paths[0]) as picture:
        picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(more / "turned.png")
    kinds.add(more)
    first = kinds.search(text=word, k=40).hits[:2]
    assert {Path(hit.path).name for hit in first} >= {"turned.png"}


def test_a_colour_orders_pictures_by_how_much_of_it_they_show(
    kinds: Engine, tmp_path: Path
) -> None:
    """None is redder than a red picture, none bluer than a blue one; without red it comes last."""
    flat = tmp_path / "flat"
    flat.mkdir()
    for name, colour in (("a", (200, 20, 20)), ("b", (30, 60, 200))):
        Image.new("RGB", (120, 90), colour).save(flat / f"{name}.png")
    kinds.add(flat)
    by_name = {Path(r.paths[0]).stem: r.image_id for r in kinds.images()}
    for colour, image in (("red", by_name["a"]), ("blue", by_name["b"])):
        page = kinds.search(text=colour, k=40)
        scores = {hit.image_id: hit.score for hit in page.hits}
        assert scores[image] == page.hits[0].score > scores[ids(page)[-1]]
    assert scores[by_name["a"]] < scores[by_name["b"]]
    assert ids(kinds.search(text="blue -red", k=40))[-1] == by_name["a"]


def test_words_and_a_picture_are_one_query(kinds: Engine) -> None:
    """Both speak for a hit; the picture is left out of its own page."""
    image, word = surest(kinds)
    other = next(r.image_id for r in kinds.images() if r.image_id != image)
    page = kinds.search(other, text=word, k=35)
    assert other not in ids(page)
    assert page.like == (other,)
    named = {name for hit in page.hits for name, value in hit.why.items() if value}
    assert {"text:kinds", "embedding:spread"} <= named
    for hit in page.hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-9)


def test_what_was_called_wrong_lets_a_guess_start_elsewhere(kinds: Engine) -> None:
    """After wrong marks alone the first page has others on it."""
    page = kinds.search(text="party", k=5)
    wrong = set(ids(page))
    after = kinds.react(page, disliked=list(page.hits), k=5)
    assert not wrong & set(ids(after))


def test_schemes_named_beside_words_compare_the_picture(kinds: Engine) -> None:
    """A word that nobody knows leaves the order to the picture, by the schemes that are named."""
    image = next(iter(kinds.images())).image_id
    by_picture = kinds.search(image, schemes=["embedding:cosine"], k=36)
    both = kinds.search(image, text=NONSENSE, schemes=["text:kinds", "embedding:cosine"], k=36)
    assert ids(both) == ids(by_picture)
    assert {"embedding:cosine", "text:kinds"} == set(map(str, both.schemes))


def test_words_of_a_picture_are_likely_and_searchable(kinds: Engine) -> None:
    """Each above a tenth, likeliest first, and a word that search knows."""
    for record in kinds.images():
        said = kinds.words_of(record.image_id)
        assert [w.probability for w in said] == sorted((w.probability for w in said), reverse=True)
        assert all(0.1 <= w.probability <= 1.0 for w in said)
        for one in said:
            assert not kinds.search(text=one.word, k=1).unknown


def test_without_an_embedding_a_picture_has_no_words(engine: Engine, first: str) -> None:
    """Nothing is made up."""
    assert engine.words_of(first) == ()


# --- suggestions ---------------------------------------------------------------------------------


def test_the_box_offers_what_is_there(engine: Engine, kinds: Engine) -> None:
    """Folders with their pictures, kinds with how many there are, a person's own words first."""
    (folder,) = (one for one in engine.suggest("harb") if one.sort == "folder")
    assert (folder.text, folder.count) == ("harbour", 2)
    teach(engine, "harmony", "balloons", "ana")
    assert engine.suggest("har", user="ana")[0].sort == "taught"
    assert all(one.sort != "taught" for one in engine.suggest("har", user="bob"))
    _, word = surest(kinds)
    offered = {one.text: one for one in kinds.suggest(word.lower()[:4], k=20)}
    assert offered[word.lower()].count >= 1


def test_suggestions_follow_the_last_word(kinds: Engine) -> None:
    """What stands before it is kept, with its sign."""
    for typed, lead in (("red sh", "red "), ("red -sh", "red -")):
        found = kinds.suggest(typed)
        assert found
        assert all(one.text.startswith(f"{lead}sh") for one in found)
    assert "traffic light" in {one.text for one in kinds.suggest("traffic li")}


def test_nothing_typed_offers_what_is_ones_own(engine: Engine, kinds: Engine) -> None:
    """Taught words, folders, what is shown most; a folder that holds everything says nothing."""
    teach(engine, NONSENSE, "balloons", "ana")
    sorts = {one.text: one.sort for one in engine.suggest("", user="ana", k=50)}
    assert (sorts[NONSENSE], sorts["harbour"]) == ("taught", "folder")
    shown = kinds.suggest("")
    assert {one.sort for one in shown} == {"kind"}
    assert [one.count for one in shown] == sorted((one.count for one in shown), reverse=True)
    assert kinds.search(text=NONSENSE).offered == tuple(one.text for one in shown)


def test_a_name_of_several_words_is_found_and_offered(engine: Engine, first: str) -> None:
    """As it was given, alone and after another word."""
    engine.tags.add("Last summer", [first], user="ana")
    assert ids(engine.search(text="last summer", user="ana", k=36))[0] == first
    offered = {
        one.text for typed in ("las", "blue las") for one in engine.suggest(typed, user="ana")
    }
    assert {"Last summer", 'blue "Last summer"'} <= offered
    page = engine.search(text='harbour "Last summer"', user="ana", k=36)
    assert page.hits[0].why["text:names"] > 0
    assert [term.how for term in page.terms] == ["name", "name"]


def test_too_much_for_a_suggestion_is_refused(kinds: Engine) -> None:
    """Nobody types a hundred letters before they search."""
    with pytest.raises(InvalidInput, match="100 characters"):
        kinds.suggest("x" * 101)
