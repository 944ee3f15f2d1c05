import { eksInfrastructure } from './controlplane-eks/provider.ts';
import type { InfrastructureProvider } from './core/contract/infrastructure.ts';
import { awsInfrastructure } from './infrastructure-aws/provider.ts';

/** The infrastructure providers that are served. */
export const infrastructures: readonly InfrastructureProvider[] = [awsInfrastructure, eksInfrastructure];
