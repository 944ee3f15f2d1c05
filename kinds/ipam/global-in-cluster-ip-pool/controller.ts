import { poolControllerOf } from '../pool/controller-of.ts';

export const globalInClusterIPPoolController = poolControllerOf('GlobalInClusterIPPool', 'global-in-cluster-ip-pool');
