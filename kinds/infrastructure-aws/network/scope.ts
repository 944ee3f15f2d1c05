/** What the types of a network's resources are given. */
import type { ResourceType } from '../engine/resource.ts';
import type { Scope as EngineScope } from '../engine/scope.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Network } from './fill.ts';
import type { CloudState, Question } from './observe-cloud.ts';
import type { Inventory, Name } from './resources/index.ts';
import type { NetworkSpec } from './schema.ts';

export interface Scope extends EngineScope<NetworkSpec, CloudState> {
  /** The network with every default filled in. */
  network: Network;
  apiPorts: ApiPorts;
  /** EKS runs the control plane, which needs neither a load balancer nor groups of the cluster's machines. */
  isHosted: boolean;
}

export interface Awaited extends Pick<Scope, 'owner' | 'spec' | 'apiPorts'> {
  loadBalancerArn: string;
}

interface NetworkUse {
  scope: Scope;
  inventory: Inventory;
  question: Pick<Question, 'spec' | 'bastion'>;
  awaited: Awaited;
  deletion: { isUnmanaged: boolean; mayHaveBastion: boolean };
}

/** A type of resource of a network. */
export interface NetworkResource<T> extends ResourceType<T, NetworkUse> {
  uses: readonly Name[];
}
