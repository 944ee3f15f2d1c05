/**
 * The whole system: which controllers exist and what wakes each. Data only; the dispatcher, the
 * local runtime and the deployment read it, and a test proves that each covers all of it.
 */

/** How a changed object maps to the objects to reconcile. */
export type Route =
  /** Its owners of the controller's kind. */
  | 'owner'
  /** The objects of the controller's kind that it owns. */
  | 'dependents'
  /** The Cluster it belongs to. */
  | 'cluster'
  /**
   * All objects of the controller's kind in its cluster, or the Cluster itself. If one of them owns
   * the changed object, only that one.
   */
  | 'members'
  /** The objects of the controller's kind whose spec refers to it. */
  | 'referrers'
  /** All objects of the controller's kind in its namespace. */
  | 'namespace'
  /** All objects of the controller's kind. */
  | 'all';

/**
 * Which changes count; all if absent. Parts of the status: `facts` is everything except reasons,
 * messages and times. `verdict` is what aggregates count: replicas, the phase, Ready and Available.
 * `available` is Available, with the available and total replicas, on which a rollout proceeds.
 * `latched` is `initialization` and `nodeRef`, which other controllers wait for and which rarely
 * revert. `direction` is what a kind's dependents act on: whether a Cluster is paused and what its
 * target is, what a set's Machines should be, whether a WorkloadSnapshot's cluster answers.
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

/** The role of a provider's objects; `kinds/` says which kinds have which role. */
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
  /**
   * Ignores changes that concern single members of a cluster, such as single Nodes of a
   * WorkloadSnapshot.
   */
  whole?: true;
  /**
   * Only changes of objects without a controller: a controller receives its own objects' changes as
   * their owner, and other selecting controllers ignore them.
   */
  orphan?: true;
  /**
   * Whose changes count; all if absent. `clients`: not what controllers fill into a spec, which no
   * user asked for. `others`: not the writes of this controller.
   */
  by?: 'clients' | 'others';
  /** Seconds of debounce, so that one pass handles further changes too; none if absent. */
  after?: number;
} & ({ kind: string; role?: never } | { role: Role; kind?: never });

export interface ControllerWiring {
  for: string;
  /** Which changes of the object itself count; all if absent. */
  on?: Part[];
  /**
   * Seconds of delay after its creation, because its creator sets the owner right after; none if
   * absent.
   */
  afterCreation?: number;
  /** The worker function that runs it on AWS, by the access that it needs. */
  worker: 'core' | 'aws' | 'workload' | 'gc';
  watches: Watch[];
  /** A sweep of the account checks the resources of ready objects, so they rarely resync. */
  swept?: true;
}

/** Delays watches that only update a status: changes come in bursts, and no user waits for each. */
const soon = 1;
/**
 * An object's templates may be created after it and deleted before it, and clients may remove their
 * owner references.
 */
const templates: Watch[] = [
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'InfrastructureMachineTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['created', 'deleted'] },
  { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], by: 'clients', after: soon },
];

/** For aggregates: runs after the counts that they are computed from. */
const later = 2;
/** For status details: other changes within this time share the pass. */
const aside = 5;
/** For counts whose owners report them sooner. */
const seldom = 15;
/** Message-only changes: with the 30 s debounce they appear within a minute. */
const messageOnly = 20;

/** Everything except the status. */
const allButStatus: Part[] = ['created', 'deleted', 'deleting', 'metadata', 'labels', 'spec'];
/** For controllers that wait for these latches alone. */
const latches: Part[] = [...allButStatus, 'latched'];
/** Changes that affect a decision, not only a message. */
const decisive: Part[] = [...allButStatus, 'facts'];
const counted: Part[] = ['created', 'deleted', 'deleting', 'labels', 'spec', 'verdict', 'latched'];
/**
 * The progress of a controller's object, without the metadata in which that controller notes its
 * steps.
 */
const progress: Part[] = ['deleting', 'labels', 'spec', 'facts'];
/** Existence and deletion. */
const existence: Part[] = ['created', 'deleted', 'deleting', 'labels'];
/** Machines that the controller created, and those that it may select. */
const machines: Watch[] = [
  { kind: 'Machine', to: 'owner', on: decisive, after: soon },
  { kind: 'Machine', to: 'owner', after: messageOnly },
  { kind: 'Machine', to: 'members', on: ['labels'], by: 'clients', after: later },
];
/** What a Cluster's members follow. */
const directed: Part[] = [...existence, 'direction'];
/**
 * What the Cluster's infrastructure follows. A Cluster's deletion does not count: each part is
 * deleted itself.
 */
const admitting: Part[] = ['created', 'deleted', 'direction'];
/** Spec changes by users. Controllers only fill in the endpoint, which few controllers read. */
const specified: Watch = { kind: 'Cluster', to: 'members', on: ['spec'], by: 'clients' };

export const controllers = {
  cluster: {
    for: 'Cluster',
    worker: 'core',
    watches: [
      { role: 'InfrastructureCluster', to: 'owner', on: ['created', 'deleted', 'verdict'] },
      { role: 'InfrastructureCluster', to: 'owner', on: progress, after: aside },
      { role: 'InfrastructureCluster', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
      { role: 'InfrastructureCluster', to: 'owner', on: ['status'], after: messageOnly },
      { role: 'InfrastructureCluster', to: 'referrers', on: ['created'] },
      { role: 'ControlPlane', to: 'owner', on: ['created', 'deleted', 'latched'] },
      { role: 'ControlPlane', to: 'owner', on: progress, after: soon },
      { role: 'ControlPlane', to: 'owner', on: ['metadata'], by: 'clients', after: aside },
      { role: 'ControlPlane', to: 'owner', on: ['status'], after: messageOnly },
      { role: 'ControlPlane', to: 'referrers', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster', on: ['deleted'] },
      { kind: 'MachineDeployment', to: 'cluster', on: counted, after: soon },
      { kind: 'MachineDeployment', to: 'cluster', on: ['metadata'], by: 'clients', after: aside },
      { kind: 'MachineDeployment', to: 'cluster', on: ['status'], after: messageOnly },
      { kind: 'MachineSet', to: 'cluster', on: ['deleted'] },
      { kind: 'MachineSet', to: 'cluster', on: counted, after: later },
      { kind: 'MachineSet', to: 'cluster', after: messageOnly },
      { kind: 'Machine', to: 'cluster', on: allButStatus, after: aside },
      { kind: 'Machine', to: 'cluster', on: ['verdict', 'latched'], after: seldom },
      { kind: 'Machine', to: 'cluster', after: messageOnly },
      { kind: 'WorkloadSnapshot', to: 'cluster', whole: true, after: later },
      { kind: 'ClusterOperation', to: 'owner', on: ['created', 'verdict', 'deleted'], after: later },
      { kind: 'ClusterOperation', to: 'owner', on: ['status'], after: messageOnly },
    ],
  },
  'operation-starter': {
    for: 'Cluster',
    worker: 'core',
    // An annotation notes that the cluster was Available.
    on: [...existence, 'metadata'],
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
      { kind: 'ClusterOperation', to: 'cluster', on: allButStatus },
      { kind: 'ClusterOperation', to: 'cluster', on: ['verdict'], after: soon },
      // Controllers that use a template make the Cluster its owner.
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'InfrastructureMachineTemplate', to: 'owner', on: ['spec'], by: 'clients' },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['created', 'metadata'], after: soon },
      { role: 'BootstrapConfigTemplate', to: 'owner', on: ['spec'], by: 'clients' },
    ],
  },
  'workload-prober': {
    for: 'Cluster',
    worker: 'workload',
    // The prober polls by itself, and more often while the status shows a change under way.
    on: directed,
    watches: [
      { kind: 'Cluster', to: 'cluster', on: ['spec'], by: 'clients' },
      // The kubeconfig goes away with the control plane.
      { role: 'ControlPlane', to: 'cluster', on: ['created', 'spec', 'deleting', 'deleted'] },
      { kind: 'Machine', to: 'cluster', on: ['created', 'deleting', 'deleted'], after: later },
      { kind: 'Secret', to: 'cluster', on: ['created'], after: later },
      // For a Cluster without a control plane object, the prober creates the kubeconfig and owns
      // the authorities.
      { kind: 'Secret', to: 'cluster', on: ['deleted', 'labels', 'metadata'], by: 'clients', after: later },
    ],
  },
  'machine-deployment': {
    for: 'MachineDeployment',
    worker: 'core',
    watches: [
      { kind: 'MachineSet', to: 'owner', on: ['created', 'spec'], by: 'others' },
      { kind: 'MachineSet', to: 'owner', on: ['available', 'deleted'] },
      { kind: 'MachineSet', to: 'owner', on: decisive, after: soon },
      { kind: 'MachineSet', to: 'owner', after: messageOnly },
      // Waits for all sets that it selects, including those that lost their controller.
      { kind: 'MachineSet', to: 'members', on: ['created', 'deleted'], orphan: true },
      // Adopts a set whose labels a client changed, once a query finds it by these labels.
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
      { kind: 'MachineDeployment', to: 'dependents', on: allButStatus },
      // From the status, the versions that its Machines run.
      { role: 'ControlPlane', to: 'members', on: decisive, after: soon },
      { kind: 'Cluster', to: 'members', on: directed },
      specified,
      ...templates,
      // Its annotations say which preflight checks to skip.
      { role: 'BootstrapConfigTemplate', to: 'referrers', on: ['metadata'], after: soon },
    ],
  },
  machine: {
    for: 'Machine',
    worker: 'workload',
    watches: [
      { role: 'InfrastructureMachine', to: 'owner', on: existence },
      { role: 'InfrastructureMachine', to: 'owner', on: ['facts'], after: later },
      { role: 'InfrastructureMachine', to: 'owner', on: ['metadata', 'spec'], by: 'clients', after: soon },
      { role: 'InfrastructureMachine', to: 'owner', on: ['status'], after: messageOnly },
      { role: 'BootstrapConfig', to: 'owner', on: [...existence, 'latched'] },
      { role: 'BootstrapConfig', to: 'owner', on: ['facts'], after: soon },
      // The control plane notes the certificates' expiry there.
      { role: 'BootstrapConfig', to: 'owner', on: ['metadata'], by: 'others', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['spec'], by: 'clients', after: soon },
      { role: 'BootstrapConfig', to: 'owner', on: ['status'], after: messageOnly },
      // Whether the Machine is outdated; the set's replicas do not matter to it.
      { kind: 'MachineSet', to: 'dependents', on: [...existence, 'direction'] },
      { kind: 'MachineDeployment', to: 'members', on: ['direction'] },
      { role: 'ControlPlane', to: 'members', on: [...existence, 'spec'] },
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
      { kind: 'Machine', to: 'dependents', on: [...existence, 'metadata'] },
      // Controllers fill in the providerID, which bootstrap data does not use. A join matters only
      // when the token expires.
      { kind: 'Machine', to: 'dependents', on: ['spec'], by: 'clients' },
      { kind: 'Machine', to: 'dependents', on: ['latched'], after: 60 },
      { kind: 'Cluster', to: 'members', on: [...directed, 'spec', 'latched'] },
      // Not the Secrets with bootstrap data, which this controller creates for each of its objects.
      { kind: 'Secret', to: 'members', on: ['created'], by: 'others', after: soon },
      { kind: 'Secret', to: 'owner', on: ['labels', 'metadata'], by: 'others', after: soon },
    ],
  },
  'kubeadm-control-plane': {
    for: 'KubeadmControlPlane',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'owner', on: ['created', 'deleted', 'deleting'] },
      // Its own Machines wake it as their owner; users create the others.
      { kind: 'Machine', to: 'members', on: ['created'], by: 'clients' },
      // During its deletion it waits for all other Machines.
      { kind: 'Machine', to: 'members', on: ['deleted'] },
      ...machines,
      { kind: 'Secret', to: 'owner' },
      // If a user removes a kubeconfig that the user supplied, which has no owner, the control
      // plane creates one.
      { kind: 'Secret', to: 'referrers', on: ['deleted'], by: 'clients' },
      { kind: 'Cluster', to: 'members', on: [...directed, 'latched'] },
      // Waits for the endpoint, and writes it into the kubeconfig.
      { kind: 'Cluster', to: 'members', on: ['spec'] },
      { kind: 'WorkloadSnapshot', to: 'members' },
      ...templates,
    ],
  },
  'cluster-resource-set': {
    for: 'ClusterResourceSet',
    worker: 'workload',
    watches: [
      // Reads all Clusters that it selects; only what it acts on counts.
      { kind: 'Cluster', to: 'namespace', on: directed, after: soon },
      { kind: 'WorkloadSnapshot', to: 'namespace', on: ['created', 'direction'] },
      { kind: 'ConfigMap', to: 'owner' },
      { kind: 'ConfigMap', to: 'referrers', on: ['created'] },
      { kind: 'Secret', to: 'owner' },
      { kind: 'Secret', to: 'referrers', on: ['created'] },
      // The binding records what was applied; a client that removes an entry wants it applied
      // again.
      { kind: 'ClusterResourceSetBinding', to: 'owner', by: 'clients' },
      // A restore may bring back a binding without its owner references.
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
      { kind: 'AWSCluster', to: 'members', on: allButStatus },
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
      { kind: 'Cluster', to: 'members', on: [...allButStatus, 'verdict', 'latched'], after: soon },
      { kind: 'Cluster', to: 'members', on: ['facts'], after: aside },
      { kind: 'Cluster', to: 'members', after: messageOnly },
      { role: 'InfrastructureCluster', to: 'members', on: ['created', 'deleted', 'deleting', 'verdict'], after: soon },
      { role: 'InfrastructureCluster', to: 'members', on: ['facts'], after: aside },
      { role: 'InfrastructureCluster', to: 'members', after: messageOnly },
      { kind: 'Machine', to: 'members', on: ['deleted'], after: soon },
      { role: 'InfrastructureMachine', to: 'members', on: ['deleted'], after: soon },
      // These conditions are the first to report why the infrastructure cannot be created.
      { role: 'InfrastructureMachine', to: 'members', on: ['status'], after: messageOnly },
      { kind: 'MachineSet', to: 'members', on: ['deleted'], after: soon },
      // The Cluster's conditions do not include add-ons.
      { kind: 'ClusterResourceSetBinding', to: 'members', on: ['created', 'spec'], after: aside },
    ],
  },
  // Idle while there is nothing to sweep; every resource in the account begins with one of these
  // objects.
  installation: {
    for: 'Installation',
    worker: 'aws',
    watches: [
      { kind: 'AWSCluster', to: 'all', on: ['created', 'deleted'], after: 600 },
      { kind: 'AWSMachine', to: 'all', on: ['deleted'], after: 600 },
    ],
  },
  // Idle while there is no cluster; there is nothing to check before a cluster is ready.
  drift: {
    for: 'Installation',
    worker: 'aws',
    watches: [{ kind: 'AWSCluster', to: 'all', on: ['created'], after: 900 }],
  },
} as const satisfies Record<string, ControllerWiring>;

export type ControllerName = keyof typeof controllers;
