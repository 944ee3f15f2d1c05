/** Warns of a Cluster whose control plane is its infrastructure, too, as the AWS provider once had it. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Cluster } from './schema.ts';

export const warnOfOlderForm = (object: KubeObject): string[] => {
  const { infrastructureRef, controlPlaneRef } = (object as Cluster).spec ?? {};
  const isOlder =
    infrastructureRef !== undefined &&
    infrastructureRef.kind === controlPlaneRef?.kind &&
    infrastructureRef.name === controlPlaneRef.name;
  return isOlder
    ? [
        `spec.infrastructureRef: names ${infrastructureRef.kind} ${infrastructureRef.name}, which is the control plane: the manifest is of an older form, which "capstan convert -f FILE" brings up to date`,
      ]
    : [];
};
