import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { GitOpsTarget } from './schema.ts';

const secret = (name: string) => ({ kind: 'Secret', name });

/** The target's kubeconfig, and those of the clusters that are registered there, whose renewal it follows. */
export const referencesOfGitOpsTarget = (object: KubeObject) => {
  const { spec, status } = object as GitOpsTarget;
  return referencesTo(
    ...(spec ? [secret(spec.kubeconfig.secretName)] : []),
    ...(status?.clusters ?? []).map(({ name }) => secret(`${name}-kubeconfig`)),
  );
};
