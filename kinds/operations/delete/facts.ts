import type { OperationFacts } from '../shared/facts.ts';

export const deleteFacts: OperationFacts = {
  place: 3,
  refusalToCancel: () => 'a deletion cannot be taken back, so it cannot be cancelled',
};
