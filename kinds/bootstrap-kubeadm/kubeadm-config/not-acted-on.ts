/** What is accepted in a KubeadmConfigSpec and changes nothing. */
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
