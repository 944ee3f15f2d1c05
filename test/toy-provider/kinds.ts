/** The kinds of a provider with all roles. Its schemas allow everything. */
import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';

const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

const toyKind = (wing: string, kind: string, role: string): KindDefinition => ({
  group: `${wing}.cluster.x-k8s.io`,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: ['cluster-api'],
  namespaced: true,
  custom: true,
  role,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      schema: { type: 'object', description: 'A toy.', properties: { spec: free, status: free } },
      columns: [],
      status: true,
    },
  ],
});

export const toyKinds: KindDefinition[] = [
  toyKind('infrastructure', 'ToyCluster', 'InfrastructureCluster'),
  toyKind('infrastructure', 'ToyMachine', 'InfrastructureMachine'),
  toyKind('infrastructure', 'ToyMachinePool', 'InfrastructureMachinePool'),
  toyKind('infrastructure', 'ToyMachineTemplate', 'InfrastructureMachineTemplate'),
  toyKind('bootstrap', 'ToyConfig', 'BootstrapConfig'),
  toyKind('bootstrap', 'ToyConfigTemplate', 'BootstrapConfigTemplate'),
  toyKind('controlplane', 'ToyControlPlane', 'ControlPlane'),
];

export type ToyCluster = KubeObject<{ controlPlaneEndpoint?: { host: string; port: number } }>;
export type ToyMachine = KubeObject<{ providerID?: string }>;
/** `machines`: it has a ToyMachine for each host. */
export type ToyMachinePool = KubeObject<{ providerIDList?: string[]; machines?: boolean }>;
export type ToyConfig = KubeObject<object, { dataSecretName?: string }>;
export type ToyControlPlane = KubeObject<
  {
    replicas: number;
    version: string;
    machineTemplate: { spec: { infrastructureRef: { apiGroup: string; kind: string; name: string } } };
  },
  ToyControlPlaneStatus
>;
export type ToyControlPlaneStatus = {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  upToDateReplicas?: number;
  version?: string;
  initialization?: { controlPlaneInitialized: boolean };
  conditions?: Condition[];
};
