import type { KubeObject } from '../../../machinery/api/object.ts';

/** The provider ID, under which Nodes are known, too. */
export const providerIdOf = ({ spec }: KubeObject): string | undefined =>
  (spec as { providerID?: string } | undefined)?.providerID;
