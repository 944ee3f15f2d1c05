/** What other wings ask about the rollout of a MachineDeployment. */
export { findCurrent, type Generations } from '../machine-deployment/revisions.ts';
export { rolloutRevision } from '../machine-deployment/template.ts';
