/** What the conditions of GlobalInClusterIPPools mean. */
import { poolCausesOf } from '../pool/causes-of.ts';

export const globalInClusterIPPoolCauses = poolCausesOf('GlobalInClusterIPPool');
