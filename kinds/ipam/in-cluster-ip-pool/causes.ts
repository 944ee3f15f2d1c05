/** What the conditions of InClusterIPPools mean. */
import { poolCausesOf } from '../pool/causes-of.ts';

export const inClusterIPPoolCauses = poolCausesOf('InClusterIPPool');
