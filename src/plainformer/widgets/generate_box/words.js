// What a GenerateBox says: in a sentence, what was done and what came of it.

import * as kit from "../kit/kit.js";
import * as panels from "./panel.js";
const { probability } = panels;
const { many } = kit;

/** Why a text cannot be a prompt; "" when it can. */
export function complaint(text, tokenizer) {
  if (text === "") return "A model needs a token to start from: type something.";
  if (/\p{Cs}/u.test(text)) {
    return "This text holds half of a character (a lone surrogate), which UTF-8 cannot hold.";
  }
  const lost = tokenizer.missing(text);
  return lost === undefined ? "" : `This tokenizer has no token for “${lost}”.`;
}

/**
 * The sentences: { sentence(state), failed(why) }; quote(id) is how a token is written, and waiting()
 * why nothing is known yet.
 */
export function wording({ settings, quote, waiting }) {
  const failed = (why) => `The model could not answer. ${why}`;

  /** state is { prompt, cut, places, chosen, news, next, full, values }; next is null while it waits. */
  function sentence(state) {
    const { places, chosen, news } = state;
    const last = places.at(-1);
    if (chosen !== null) return ofPlace(state);
    if (news?.about === "added" && last?.seen && last.id === news.id) return ofTokens(state);
    return `${happened(state)} ${prospect(state)}`;
  }

  function ofPlace({ places, chosen }) {
    const { id, seen } = places[chosen];
    const where = `Token ${chosen + 1} of ${places.length}, ${quote(id)}`;
    if (!seen) return `${where}. ${waiting()}.`;
    const rank = seen.rows.findIndex((row) => row.id === id) + 1;
    const other = seen.rows.find((row) => row.id !== id && !row.cut);
    const rival = other ? `${quote(other.id)} had ${probability(other.after)}` : "nothing else could be drawn";
    const first = rank === 1 ? "the most probable" : `place ${rank} by probability`;
    const among = seen.beyond ? "" : `, ${first}`;
    return `${where}, had probability ${probability(seen.probability)}${among}; ${rival}.`;
  }

  function ofTokens({ places, news, full }) {
    const { count, id, ended } = news;
    const what = `${many(count, "token")} added; the last, ${quote(id)}`;
    const end = ended ? " It ends a text." : full ? " The box is full." : "";
    return `${what}, had probability ${probability(places.at(-1).seen.probability)}.${end}`;
  }

  function happened({ prompt, cut, places, news, next, values }) {
    switch (news?.about) {
      case "undo":
        return `Took back ${quote(news.id)}; ${many(places.length, "token")} left.`;
      case "clear":
        return `Cleared ${many(news.count, "token")}; the prompt is left.`;
      case "place":
        return "Back at the end of the text.";
      case "max_new_tokens":
        return `Continue adds ${many(values.max_new_tokens, "token")}.`;
      default: {
        const setting = settings[news?.about];
        if (!setting) {
          const most = cut ? `${kit.format(prompt.text.length)} characters, the most; ` : "";
          return `The prompt is ${most}${many(prompt.ids.length, "token")}.`;
        }
        const left = next ? `: ${many(next.left, "token")} can be drawn` : "";
        return `${setting.label} ${setting.words(values[news.about])}${left}.`;
      }
    }
  }

  function prospect({ next, news }) {
    if (!next) return `${waiting()}.`;
    if (news?.about === "seed") return `The next number draws ${quote(next.next)}.`;
    const [{ id, after }] = next.rows;
    return `Most probable now: ${quote(id)}, ${probability(after)}.`;
  }
  return { sentence, failed };
}
