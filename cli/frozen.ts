/** What a person is told of a frozen installation. */
import type { Freeze } from '../kinds/ports/installation.ts';
import { typed } from './output.ts';

/** Loud, for it is why nothing happens. */
export const frozenNotice = ({ id, reason, message }: Freeze): string => `
*** FROZEN: ${reason} (freeze ${id}) ***
${message}
The API serves, objects can be read and changed, and nothing follows from it until somebody lifts the freeze:

  kubectl get installation capstan -o yaml
  ${typed('orphans list')}
  ${typed('thaw')}
  kubectl patch installation capstan --type merge -p '{"spec":{"resume":"${id}"}}'   (the same, with kubectl)
`;
