/** What nobody takes away that came too late, people are told of. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

export const reported = ({ tooLate }: Setting): Invariant => ({
  atEnd: () => {
    const unreported = tooLate?.unreported() ?? [];
    if (unreported.length > 0) throw new Violation('reported', `nobody is told of ${unreported.join(', ')}`);
  },
});
