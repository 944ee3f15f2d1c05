/** The statements that allow exactly the calls of a function on the account. */
import { cloudPermissions } from '../../adapters/aws/cloud/permissions.ts';
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import type { Resources } from '../resources.ts';
import { poolStatements, withoutPools } from './auto-scaling.ts';
import { defaultGroups, ec2, ec2Tags, spotRequests } from './ec2.ts';
import { eksStatements } from './eks.ts';
import { elasticLoadBalancing, elbTags } from './elb.ts';
import { roles } from './iam.ts';
import { statementsOf } from './rules.ts';
import { narrowReads, oneShotSecrets } from './secrets.ts';
import { actionsIn, isRead, type Statement } from './statement.ts';

/** A service's own rules name the resources of the read. */
const isNarrow = (action: string): boolean => narrowReads.includes(action) || Object.hasOwn(ec2.rules, action);

/** Most read actions support no resource-level permissions; none of them reads a secret's value. */
const reads = (allowed: readonly string[]): Statement[] => {
  const actions = allowed.filter((action) => isRead(action) && !isNarrow(action));
  const why = 'reads names, states and tags of all resources, to discover what exists';
  return actions.length > 0 ? [{ sid: 'AccountReads', why, actions, resources: ['*'] }] : [];
};

/** Split, because IAM limits the size of a policy. */
export const accountPolicies = (calls: readonly CloudAction[], resources: Resources): Record<string, Statement[]> => {
  const allowed = withoutPools(actionsIn(cloudPermissions, calls), resources);
  const policies = {
    Networks: [
      ...statementsOf(ec2, allowed, resources),
      ...spotRequests(allowed, resources),
      ...defaultGroups(allowed, resources),
    ],
    Tags: [...ec2Tags(allowed, resources), ...elbTags(allowed, resources)],
    Services: [
      ...reads(allowed),
      ...statementsOf(elasticLoadBalancing, allowed, resources),
      ...oneShotSecrets(allowed, resources),
      ...roles(allowed, resources),
      ...eksStatements(allowed, resources),
    ],
    Pools: poolStatements(allowed, resources),
  };
  return Object.fromEntries(Object.entries(policies).filter(([, statements]) => statements.length > 0));
};
