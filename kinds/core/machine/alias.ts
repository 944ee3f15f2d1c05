import type { KubeObject } from '../../../machinery/api/object.ts';

/** The provider's id, by which nodes are known, too. */
export const providerIdOf = ({ spec }: KubeObject): string | undefined =>
  (spec as { providerID?: string } | undefined)?.providerID;
