/** How a Cluster refers to its ClusterClass. */
import type { Reference } from '../../../machinery/api/kind.ts';
import type { KubeObject, ObjectKey } from '../../../machinery/api/object.ts';
import { coreGroup } from '../../common/versions.ts';

interface ClassRef {
  name: string;
  namespace?: string;
}

export const classReference = ({ name, namespace }: ClassRef): Reference => ({
  group: coreGroup,
  kind: 'ClusterClass',
  name,
  ...(namespace && { namespace }),
});

/** Undefined for a Cluster without a topology. */
export const classKeyOf = ({ metadata, spec }: KubeObject): Required<ObjectKey> | undefined => {
  const { topology } = (spec ?? {}) as { topology?: { classRef?: ClassRef } };
  const { name, namespace } = topology?.classRef ?? {};
  return name === undefined ? undefined : { namespace: namespace ?? metadata.namespace ?? '', name };
};
