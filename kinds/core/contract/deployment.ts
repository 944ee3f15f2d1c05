/** What other wings ask about the rollout of a MachineDeployment. */
export { findCurrent, type Generations } from '../machine-deployment/revisions.ts';
export { limitsOf } from '../machine-deployment/rollout.ts';
export { rolloutRevision } from '../machine-deployment/template.ts';
