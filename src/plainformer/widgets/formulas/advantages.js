// Advantages of a group of answers, as plainformer.assistant.rewards has them.

const EPS = 1e-4; // keeps the division harmless where all rewards are equal

/** How much better each answer is than the mean, in standard deviations of the group's rewards. */
export function groupAdvantages(rewards) {
  const G = rewards.length;
  const mean = rewards.reduce((sum, each) => sum + each, 0) / G;
  const squares = rewards.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const std = Math.sqrt(squares / (G - 1));
  return rewards.map((each) => (each - mean) / (std + EPS));
}
