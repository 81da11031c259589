// The engine that trains, as one script; see worker.js for why it has no exports.

import * as models from "./new_model.js";
import * as optimizing from "./optimizers.js";
import * as serving from "./serve.js";
import * as sessions from "./training_session.js";
import * as training from "./training_step.js";

const { lossAndGradients, trainingStep } = training;
const { newAdamW } = optimizing;
const { newModel } = models;
const { makeSession } = sessions;
self.plainformerTraining = { lossAndGradients, trainingStep, newAdamW, newModel, makeSession };
serving.serve(makeSession);
