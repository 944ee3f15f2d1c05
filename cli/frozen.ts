/** The notice about a frozen installation. */
import type { Freeze } from '../kinds/ports/installation.ts';
import { typed } from './output.ts';

/** Prominent, because it explains why no controller acts. */
export const frozenNotice = ({ id, reason, message }: Freeze): string => `
*** FROZEN: ${reason} (freeze ${id}) ***
${message}
The API serves reads and writes, but no controller acts until you lift the freeze:

  kubectl get installation capstan -o yaml
  ${typed('orphans list')}
  ${typed('thaw')}
  kubectl patch installation capstan --type merge -p '{"spec":{"resume":"${id}"}}'   (the same, with kubectl)
`;
