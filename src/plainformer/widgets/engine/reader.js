// A text that a reader types, read by a model that is fetched only when the reader asks for it.

import * as bpe from "../formulas/bpe.js";
import * as client from "./client.js";

/**
 * What reads texts: { open, read, forget, words, stop }.
 *
 * weights: a trait that Python made (plainformer.widgets.engine). given: what pack_reader says of the
 * model in Python. say(sentence) is told how far the model has arrived, and what went wrong.
 */
export function makeReader({ weights, given, say }) {
  const tokenizer = bpe.makeTokenizer(given.tokenizer);
  let opening = null; // the promise of the engine
  let asked = 0; // texts: only the last one is answered

  const reading = (name) => bpe.reading(name, tokenizer.byteLevel, "characters").text;

  /** How a token of the vocabulary reads. */
  function word(id) {
    const name = given.special[id] ?? tokenizer.nameOf(id);
    return name === undefined ? `#${id}` : reading(name).replaceAll("·", " ");
  }

  /** Fetch the model, once; after a failure, the next call tries again. */
  function open() {
    const onProgress = (got, all) => say(`Fetching the model: ${Math.round((100 * got) / all)}%.`);
    opening ??= client.connect({ weights, onProgress });
    opening.catch(() => (opening = null));
    return opening;
  }

  /**
   * Read a text. Its last tokens that have room go through the model, and answer({ engine, ids,
   * steps, isNewest }) is told, unless a newer text has been asked for.
   */
  async function read(text, answer) {
    const mine = (asked += 1);
    const isNewest = () => mine === asked;
    const lost = tokenizer.missing(text);
    if (lost !== undefined) return say(`This tokenizer has no token for “${lost}”.`);
    const ids = tokenizer.encode(text).slice(-given.room);
    try {
      const engine = await open();
      const steps = isNewest() ? await engine.run(ids) : null;
      if (steps && isNewest()) await answer({ engine, ids, steps, isNewest });
    } catch (error) {
      if (isNewest()) say(`${error.message}`);
    }
    return undefined;
  }

  /** No answer is wanted any more. */
  const forget = () => (asked += 1);

  async function stop() {
    forget();
    (await opening?.catch(() => null))?.stop();
  }
  const words = () => Array.from({ length: given.size }, (_, id) => word(id));
  return { open, read, forget, word, words, stop };
}
