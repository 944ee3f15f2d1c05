/** The network, which everything else needs. */
import type { Part, Scope } from '../context.ts';
import { planCarrierGateway } from './carrier-gateway.ts';
import { planDuplicates } from './duplicates.ts';
import { planNatGateways } from './nat-gateways.ts';
import { planRouteTables } from './route-tables.ts';
import { planSubnets } from './subnets.ts';
import { planInternetGateway, planSecondaryBlocks, planVpc } from './vpc.ts';

/** `usable`: the controller may create resources inside the network. */
export const planNetwork = (scope: Scope): { parts: Part[]; usable: boolean } => {
  const vpc = planVpc(scope);
  // Create nothing, and incur no cost, without a VPC.
  if (!scope.observed.vpc) return { parts: [vpc], usable: false };
  const subnets = planSubnets(scope);
  const parts = [vpc, planSecondaryBlocks(scope), subnets, planInternetGateway(scope), planCarrierGateway(scope)];
  const usable = subnets.settled || subnets.steps.length + subnets.underway.length > 0;
  return {
    parts: usable ? [...parts, planNatGateways(scope), planRouteTables(scope), planDuplicates(scope)] : parts,
    usable,
  };
};
