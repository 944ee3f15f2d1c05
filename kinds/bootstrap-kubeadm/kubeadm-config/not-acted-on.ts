/** Fields of a KubeadmConfigSpec that are accepted and have no effect. */
import { warnNotActedOn } from '../../common/not-acted-on.ts';

export const configNotActedOn = [
  { kind: 'KubeadmConfig', path: 'spec' },
  { kind: 'KubeadmConfigTemplate', path: 'spec.template.spec' },
  { kind: 'KubeadmControlPlane', path: 'spec.kubeadmConfigSpec' },
].flatMap(({ kind, path }) => [
  {
    kind,
    path: `${path}.format`,
    feature: 'Ignition (refused: nothing is created)',
    when: (value: unknown) => value === 'ignition',
  },
  { kind, path: `${path}.clusterConfiguration.etcd.external`, feature: 'External etcd (refused: nothing is created)' },
]);
export const warnUnheeded = warnNotActedOn(configNotActedOn);
