// Back, Next and Play: how a reader walks through a figure, one step at a time.
//
// What a step is, the figure knows. Here is what all of them share: Play starts over from the end,
// takes its time where motion is unwelcome, and halts as soon as the reader does anything else.

import * as kit from "./kit.js";

/**
 * The three buttons, and who speaks for them: { back, next, play, halting, draw, stop }.
 *
 * atStart() and atEnd() say where the figure is, goBack() and goOn() take one step, and startOver()
 * goes to the start; pace is how many milliseconds a step stays while it plays. halting(act) is act,
 * after a halt: every other control is given it. draw() belongs into the figure's own drawing, and
 * stop() halts.
 */
export function controls({ atStart, atEnd, goBack, goOn, startOver, pace }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const player = kit.player({
    tick() {
      if (!atEnd()) goOn();
      return !atEnd();
    },
    every: () => (calm.matches ? 2 * pace : pace),
    onChange: (on) => play.set({ icon: on ? "pause" : "play", label: on ? "Pause" : "Play" }),
  });
  const halting =
    (act) =>
    (...args) => {
      player.stop();
      act(...args);
    };
  const back = kit.button({
    label: "Back",
    icon: "previous",
    when: () => !atStart(),
    onPress: halting(goBack),
  });
  const next = kit.button({
    label: "Next",
    icon: "next",
    when: () => !atEnd(),
    onPress: halting(goOn),
  });
  const play = kit.button({
    label: "Play",
    icon: "play",
    onPress() {
      if (!player.playing() && atEnd()) startOver();
      player.toggle();
    },
  });
  function draw() {
    back.set();
    next.set();
  }
  return { back: back.el, next: next.el, play: play.el, halting, draw, stop: player.stop };
}
