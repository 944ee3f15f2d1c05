/** AWS never has to refuse a call for its number: what would be refused is not sent. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

export const budget = ({ world }: Setting): Invariant => ({
  onCall: ({ action, outcome, isInjected }) => {
    if (isInjected || !/^(RequestLimitExceeded|Throttling)/.test(outcome)) return;
    // A process that takes over from another one does not know what that has spent.
    if (world.isReplaced) return;
    throw new Violation('token budget', `${action} was refused as ${outcome}`);
  },
});
