// The engine that trains, as one script; see worker.js for why it has no exports.

import * as optimizing from "./optimizers.js";
import * as training from "./training_step.js";

const { lossAndGradients, trainingStep } = training;
const { newAdamW } = optimizing;
self.plainformerTraining = { lossAndGradients, trainingStep, newAdamW };
