import type { OperationFacts } from '../shared/facts.ts';
import { createChecks, failurePolicies } from './annotations.ts';

export const createFacts: OperationFacts = {
  place: 1,
  failurePolicies,
  annotations: createChecks,
  refusalToCancel: ({ status }) =>
    status?.step === 'TearDown' && status.phase !== 'TornDown'
      ? 'it is undoing what it made, and ends by itself; to keep what a failed create made, set capstan.dev/on-create-failure: Hold on the Cluster'
      : undefined,
};
