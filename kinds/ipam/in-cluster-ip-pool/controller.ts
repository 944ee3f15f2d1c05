import { poolControllerOf } from '../pool/controller-of.ts';

export const inClusterIPPoolController = poolControllerOf('InClusterIPPool', 'in-cluster-ip-pool');
