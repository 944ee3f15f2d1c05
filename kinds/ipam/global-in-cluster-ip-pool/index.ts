import { definePool } from '../pool/define.ts';
import { globalInClusterIPPool as facts } from './kind.ts';

export const globalInClusterIPPool = definePool(facts, 'IP addresses for claims of all namespaces.');
