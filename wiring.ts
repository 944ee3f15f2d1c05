/**
 * The system on one page: which controllers exist and what wakes each. Data only; the dispatcher, the local runtime and
 * the deployment all read it, and a test proves that each of them covers all of it.
 */

/** How a changed object finds the objects to reconcile. */
export type Route =
  /** Those of the controller's kind among its owner references. */
  | 'owner'
  /** Those of the controller's kind that it owns. */
  | 'dependents'
  /** The Cluster it belongs to. */
  | 'cluster'
  /** All of the controller's kind in its cluster (itself, when it is a Cluster); of what one of them owns, that one. */
  | 'members'
  /** Those of the controller's kind whose spec names it. */
  | 'referrers'
  /** All of the controller's kind in its namespace. */
  | 'namespace'
  /** All of the controller's kind. */
  | 'all';

/**
 * Which changes count; absent = all of them. Of the status, `facts` are all but reasons, messages and times; `verdict` is
 * what is counted of them: replicas, the phase, and whether it is Ready or Available; `available` is the last of these
 * alone, how many are, and how many there are at all, which is what a rollout goes on by; `latched` are `initialization` and
 * `nodeRef`, which others wait for and which are hardly ever taken back. `direction` is what a kind says that those act on who
 * belong to it: of a Cluster whether it is paused, and what its operation lets them work towards; of a set of Machines what
 * they should be; of what was seen of a cluster whether it answers.
 */
export type Part =
  | 'created'
  | 'deleted'
  | 'deleting'
  | 'metadata'
  | 'direction'
  | 'labels'
  | 'spec'
  | 'status'
  | 'facts'
  | 'verdict'
  | 'available'
  | 'latched';

/** What the objects of a provider are to the rest of the system; `kinds/` says which kinds play which role. */
export type Role =
  | 'InfrastructureCluster'
  | 'InfrastructureMachine'
  | 'InfrastructureMachineTemplate'
  | 'BootstrapConfig'
  | 'BootstrapConfigTemplate'
  | 'ControlPlane';

export type Watch = {
  to: Route;
  on?: Part[];
  /** Not what is about single members of a cluster alone: of what was seen of it, single nodes. */
  whole?: true;
  /** Only of what has no controller: whose it is hears of it as its owner, and it is nothing to others that might select it. */
  orphan?: true;
  /**
   * Whose changes count; absent = everybody's. `clients`: what controllers fill into a spec is nothing that anybody asked
   * for. `others`: not what this controller itself makes.
   */
  by?: 'clients' | 'others';
  /** Seconds that it may wait, so that one pass serves what else happens meanwhile; absent = none. */
  after?: number;
} & ({ kind: string; role?: never } | { role: Role; kind?: never });

export interface ControllerWiring {
  for: string;
  /** Which changes of the object itself count; absent = all of them. */
  on?: Part[];
  /** Seconds that its creation may wait, since whoever made it says next whose it is; absent = none. */
  afterCreation?: number;
  /** The function that runs it on AWS, by what it needs to reach. */
  worker: 'core' | 'aws' | 'workload' | 'gc';
  watches: Watch[];
  /** What it keeps right is seen by a sweep of the account: while its objects are ready it looks itself only seldom. */
  swept?: true;
}

/** Delays watches that only update a status: changes come in bursts, and no user waits for each. */
const soon = 1;
/** What an object names may be made after it, and go before it; and clients may take off who owns it. */
const templates: Watch[] = [
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
];

/** For what is counted of many: after the counts that it is counted from. */
const later = 2;
/** For what is said besides: whatever else happens in this time takes it along. */
const aside = 5;
/** For what others count who say so themselves, and sooner. */
const seldom = 15;
/** For words, which are repeated: with the half minute that a pass keeps them back, they are said within a minute. */
const wordy = 20;

/** Everything but the status. */
const asked: Part[] = ['created', 'deleted', 'deleting', 'metadata', 'labels', 'spec'];
/** Nor is the rest of a status anything to whoever waits for these. */
const latches: Part[] = [...asked, 'latched'];
/** Something else is decided, not only said. */
const told: Part[] = [...asked, 'facts'];
const counted: Part[] = ['created', 'deleted', 'deleting', 'labels', 'spec', 'verdict', 'latched'];
/** Of what a controller prepares step by step, and notes in its metadata: what has become of it. */
const shown: Part[] = ['deleting', 'labels', 'spec', 'facts'];
/** That it is there, and whether it stays. */
const standing: Part[] = ['created', 'deleted', 'deleting', 'labels'];
/** Of the Machines that it makes, and of those that it may select. */
const machines: Watch[] = [
  { kind: 'Machine', to: 'owner', on: told, after: soon },
  { kind: 'Machine', to: 'owner', after: wordy },
  { kind: 'Machine', to: 'members', on: ['labels'], by: 'clients', after: later },
];
/** Of a Cluster, what its members do as it says. */
const directed: Part[] = [...standing, 'direction'];
/** What its infrastructure makes of it: that it goes does not count, for each thing that is to go is told so itself. */
const admitting: Part[] = ['created', 'deleted', 'direction'];
/** Of its spec, what people say there: what controllers fill in is the endpoint, which only a few go by. */
const specified: Watch = { kind: 'Cluster', to: 'members', on: ['spec'], by: 'clients' };

export const controllers = {
  cluster: {
    for: 'Cluster',
    worker: 'core',
    watches: [
      { role: 'InfrastructureCluster', to: 'owner', on: ['created', 'deleted', 'verdict'] },
      { role: 'InfrastructureCluster', to: 'owner', on: shown, after: aside },
      { role: 'InfrastructureCluster', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
      { role: 'InfrastructureCluster', to: 'owner', on: ['status'], after: wordy },
      { role: 'InfrastructureCluster', to: 'referrers', on: ['created'] },
      { role: 'ControlPlane', to: 'owner', on: ['created', 'deleted', 'latched'] },
      { role: 'ControlPlane', to: 'owner', on: shown, after: soon },
      { role: 'ControlPlane', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
      { role: 'ControlPlane', to: 'owner', on: ['status'], after: wordy },
      { role: 'ControlPlane', to: 'referrers', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster', on: ['deleted'] },
      { kind: 'MachineDeployment', to: 'cluster', on: counted, after: soon },
      { kind: 'MachineDeployment', to: 'cluster', on: ['metadata'], by: 'clients', after: aside },
      { kind: 'MachineDeployment', to: 'cluster', on: ['status'], after: wordy },
      { kind: 'MachineSet', to: 'cluster', on: ['deleted'] },
      { kind: 'MachineSet', to: 'cluster', on: counted, after: later },
      { kind: 'MachineSet', to: 'cluster', after: wordy },
      { kind: 'Machine', to: 'cluster', on: asked, after: aside },
      { kind: 'Machine', to: 'cluster', on: ['verdict', 'latched'], after: seldom },
      { kind: 'Machine', to: 'cluster', after: wordy },
      { kind: 'WorkloadSnapshot', to: 'cluster', whole: true, after: later },
      { kind: 'ClusterOperation', to: 'owner', on: ['created', 'verdict', 'deleted'], after: later },
      { kind: 'ClusterOperation', to: 'owner', on: ['status'], after: wordy },
    ],
  },
  'operation-starter': {
    for: 'Cluster',
    worker: 'core',
    // That a cluster was ever available is noted on it.
    on: [...standing, 'metadata'],
    watches: [
      { kind: 'Cluster', to: 'cluster', on: ['spec'], by: 'clients' },
      { role: 'InfrastructureCluster', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { role: 'InfrastructureCluster', to: 'referrers', on: ['created'] },
      { role: 'ControlPlane', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { role: 'ControlPlane', to: 'referrers', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { kind: 'MachineDeployment', to: 'cluster', on: ['deleting', 'deleted'], after: soon },
      { kind: 'MachineSet', to: 'cluster', on: ['created', 'spec'], by: 'clients' },
      { kind: 'MachineSet', to: 'cluster', on: ['deleting', 'deleted'], after: soon },
      { kind: 'ClusterOperation', to: 'cluster', on: asked },
      { kind: 'ClusterOperation', to: 'cluster', on: ['verdict'], after: soon },
      // Whoever needs a template makes the Cluster its owner.
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['spec'], by: 'clients' },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['spec'], by: 'clients' },
    ],
  },
  'workload-prober': {
    for: 'Cluster',
    worker: 'workload',
    // It looks again by itself, and more often while the status says that something is going on.
    on: directed,
    watches: [
      { kind: 'Cluster', to: 'cluster', on: ['spec'], by: 'clients' },
      // With the last of them goes the kubeconfig.
      { role: 'ControlPlane', to: 'cluster', on: ['created', 'spec', 'deleting', 'deleted'] },
      { kind: 'Machine', to: 'cluster', on: ['created', 'deleting', 'deleted'], after: later },
      { kind: 'Secret', to: 'cluster', on: ['created'], after: later },
      // Of a cluster without a control-plane object it makes the kubeconfig, and owns the authorities.
      { kind: 'Secret', to: 'cluster', on: ['deleted', 'labels', 'metadata'], by: 'clients', after: later },
    ],
  },
  'machine-deployment': {
    for: 'MachineDeployment',
    worker: 'core',
    watches: [
      { kind: 'MachineSet', to: 'owner', on: ['created', 'spec'], by: 'others' },
      { kind: 'MachineSet', to: 'owner', on: ['available', 'deleted'] },
      { kind: 'MachineSet', to: 'owner', on: told, after: soon },
      { kind: 'MachineSet', to: 'owner', after: wordy },
      // It waits for those that it selects, also when they are nobody's any more.
      { kind: 'MachineSet', to: 'members', on: ['created', 'deleted'], orphan: true },
      // Who selects what somebody has just given its labels makes it its own, once a query finds it by them.
      { kind: 'MachineSet', to: 'members', on: ['labels'], by: 'clients', after: later },
      { kind: 'Cluster', to: 'members', on: directed },
      specified,
      ...templates,
    ],
  },
  'machine-set': {
    for: 'MachineSet',
    worker: 'core',
    watches: [
      { kind: 'Machine', to: 'owner', on: ['created'], by: 'others' },
      { kind: 'Machine', to: 'owner', on: ['available', 'deleted'] },
      { kind: 'Machine', to: 'members', on: ['created', 'deleted'], orphan: true },
      ...machines,
      { kind: 'MachineDeployment', to: 'dependents', on: asked },
      // Of a status, the versions that its machines run.
      { role: 'ControlPlane', to: 'members', on: told, after: soon },
      { kind: 'Cluster', to: 'members', on: directed },
      specified,
      ...templates,
      // Its annotations say which checks to skip.
      { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], after: soon },
    ],
  },
  machine: {
    for: 'Machine',
    worker: 'workload',
    watches: [
      { role: 'InfrastructureMachine', to: 'owner', on: standing },
      { role: 'InfrastructureMachine', to: 'owner', on: ['facts'], after: later },
      { role: 'InfrastructureMachine', to: 'owner', on: ['metadata', 'spec'], by: 'clients', after: soon },
      { role: 'InfrastructureMachine', to: 'owner', on: ['status'], after: wordy },
      { role: 'BootstrapConfig', to: 'owner', on: [...standing, 'latched'] },
      { role: 'BootstrapConfig', to: 'owner', on: ['facts'], after: soon },
      // Its control plane notes there when certificates end.
      { role: 'BootstrapConfig', to: 'owner', on: ['metadata'], by: 'others', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['spec'], by: 'clients', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['status'], after: wordy },
      // Whether they are outdated: how many others there are to be is nothing to those that are there.
      { kind: 'MachineSet', to: 'dependents', on: [...standing, 'direction'] },
      { kind: 'MachineDeployment', to: 'members', on: ['direction'] },
      { role: 'ControlPlane', to: 'members', on: [...standing, 'spec'] },
      { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
      specified,
      { kind: 'WorkloadSnapshot', to: 'members' },
    ],
  },
  'kubeadm-config': {
    for: 'KubeadmConfig',
    worker: 'workload',
    afterCreation: soon,
    watches: [
      { kind: 'Machine', to: 'dependents', on: [...standing, 'metadata'] },
      // What its host is called is not for its bootstrap data, and that it has joined matters when the token ends.
      { kind: 'Machine', to: 'dependents', on: ['spec'], by: 'clients' },
      { kind: 'Machine', to: 'dependents', on: ['latched'], after: 60 },
      { kind: 'Cluster', to: 'members', on: [...directed, 'spec', 'latched'] },
      // Those with bootstrap data it makes itself, one for each of its objects.
      { kind: 'Secret', to: 'members', on: ['created'], by: 'others', after: soon },
      { kind: 'Secret', to: 'owner', on: ['labels', 'metadata'], by: 'others', after: soon },
    ],
  },
  'kubeadm-control-plane': {
    for: 'KubeadmControlPlane',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'owner', on: ['created', 'deleted', 'deleting'] },
      // Of its own it is told as their owner; those of nobody are made by people.
      { kind: 'Machine', to: 'members', on: ['created'], by: 'clients' },
      // While it goes it waits for all others.
      { kind: 'Machine', to: 'members', on: ['deleted'] },
      ...machines,
      { kind: 'Secret', to: 'owner' },
      // A kubeconfig that somebody brought, and takes away again, is nobody's, and is to be made.
      { kind: 'Secret', to: 'referrers', on: ['deleted'], by: 'clients' },
      { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
      // It waits for the endpoint, and writes it into the kubeconfig.
      { kind: 'Cluster', to: 'members', on: ['spec'] },
      { kind: 'WorkloadSnapshot', to: 'members' },
      ...templates,
    ],
  },
  'cluster-resource-set': {
    for: 'ClusterResourceSet',
    worker: 'workload',
    watches: [
      // It reads all clusters that it selects: of each, only what it acts on counts.
      { kind: 'Cluster', to: 'namespace', on: directed, after: soon },
      { kind: 'WorkloadSnapshot', to: 'namespace', on: ['created', 'direction'] },
      { kind: 'ConfigMap', to: 'owner' },
      { kind: 'ConfigMap', to: 'referrers', on: ['created'] },
      { kind: 'Secret', to: 'owner' },
      { kind: 'Secret', to: 'referrers', on: ['created'] },
      // What it has applied it notes there; who takes that away wants it applied again.
      { kind: 'ClusterResourceSetBinding', to: 'owner', by: 'clients' },
      // A restore may bring back a binding without its owners.
      { kind: 'ClusterResourceSetBinding', to: 'namespace', on: ['created'], by: 'clients', after: soon },
    ],
  },
  'aws-cluster': {
    for: 'AWSCluster',
    worker: 'aws',
    swept: true,
    watches: [
      { kind: 'Cluster', to: 'dependents', on: admitting },
      { kind: 'Cluster', to: 'dependents', on: ['spec'], by: 'clients' },
      { kind: 'AWSClusterControllerIdentity', to: 'namespace', on: ['created', 'spec'] },
    ],
  },
  'aws-machine': {
    for: 'AWSMachine',
    worker: 'aws',
    swept: true,
    afterCreation: soon,
    watches: [
      { kind: 'Machine', to: 'dependents', on: latches },
      { kind: 'AWSCluster', to: 'members', on: asked },
      { kind: 'AWSCluster', to: 'members', on: ['facts'], after: soon },
      { kind: 'Cluster', to: 'members', on: [...admitting, 'latched'] },
      specified,
    ],
  },
  'aws-machine-template': {
    for: 'AWSMachineTemplate',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'dependents', on: ['created'] },
      { kind: 'Cluster', to: 'dependents', on: ['spec'], by: 'clients' },
    ],
  },
  'cluster-operation': {
    for: 'ClusterOperation',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'members', on: [...asked, 'verdict', 'latched'], after: soon },
      { kind: 'Cluster', to: 'members', on: ['facts'], after: aside },
      { kind: 'Cluster', to: 'members', after: wordy },
      { role: 'InfrastructureCluster', to: 'members', on: ['created', 'deleted', 'deleting', 'verdict'], after: soon },
      { role: 'InfrastructureCluster', to: 'members', on: ['facts'], after: aside },
      { role: 'InfrastructureCluster', to: 'members', after: wordy },
      { kind: 'Machine', to: 'members', on: ['deleted'], after: soon },
      { role: 'InfrastructureMachine', to: 'members', on: ['deleted'], after: soon },
      // What keeps it from being made is said there first.
      { role: 'InfrastructureMachine', to: 'members', on: ['status'], after: wordy },
      { kind: 'MachineSet', to: 'members', on: ['deleted'], after: soon },
      // Of add-ons the Cluster says nothing.
      { kind: 'ClusterResourceSetBinding', to: 'members', on: ['created', 'spec'], after: aside },
    ],
  },
  // Rests while there is nothing to sweep; whatever is made in the account begins with one of these.
  installation: {
    for: 'Installation',
    worker: 'aws',
    watches: [
      { kind: 'AWSCluster', to: 'all', on: ['created', 'deleted'], after: 600 },
      { kind: 'AWSMachine', to: 'all', on: ['deleted'], after: 600 },
    ],
  },
  // Rests while there is no cluster. There is nothing to see before one is ready.
  drift: {
    for: 'Installation',
    worker: 'aws',
    watches: [{ kind: 'AWSCluster', to: 'all', on: ['created'], after: 900 }],
  },
} as const satisfies Record<string, ControllerWiring>;

export type ControllerName = keyof typeof controllers;
