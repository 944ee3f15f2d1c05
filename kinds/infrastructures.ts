import type { Infrastructure } from './core/contract/infrastructure.ts';
import { awsInfrastructure } from './infrastructure-aws/provider.ts';

/** The infrastructure providers that are served. */
export const infrastructures: readonly Infrastructure[] = [awsInfrastructure];
