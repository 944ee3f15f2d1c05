import { definePool } from '../pool/define.ts';
import { inClusterIPPool as facts } from './kind.ts';

export const inClusterIPPool = definePool(facts, 'IP addresses for the claims of one namespace.');
