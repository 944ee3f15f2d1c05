// Written by `npm run registry`.

import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { addressActions } from './address.ts';
import { alarmActions } from './alarm.ts';
import { autoScalingGroupActions } from './auto-scaling-group.ts';
import { carrierGatewayActions } from './carrier-gateway.ts';
import { classicLoadBalancerActions } from './classic-load-balancer.ts';
import { egressOnlyInternetGatewayActions } from './egress-only-internet-gateway.ts';
import { eksAccessEntryActions } from './eks-access-entry.ts';
import { eksAddonActions } from './eks-add-on.ts';
import { eksClusterActions } from './eks-cluster.ts';
import { eksNodegroupActions } from './eks-nodegroup.ts';
import { identityActions } from './identity.ts';
import { imageActions } from './image.ts';
import { instanceActions } from './instance-actions.ts';
import { instanceRefreshActions } from './instance-refresh.ts';
import { instanceStatusActions } from './instance-status.ts';
import { instanceTypeActions } from './instance-type.ts';
import { internetGatewayActions } from './internet-gateway.ts';
import { ipamActions } from './ipam.ts';
import { launchActions } from './launch.ts';
import { launchTemplateActions } from './launch-template.ts';
import { beginActions } from './lifecycle-action.ts';
import { lifecycleHookActions } from './lifecycle-hook.ts';
import { listenerActions } from './listener.ts';
import { loadBalancerActions } from './load-balancer.ts';
import { natGatewayActions } from './nat-gateway.ts';
import { networkInterfaceActions } from './network-interface.ts';
import { parameterActions } from './parameter.ts';
import { priceListActions } from './price-list.ts';
import { quotaActions } from './quota.ts';
import { regionActions } from './regions.ts';
import { roleActions } from './role.ts';
import { routeTableActions } from './route-table.ts';
import { scalingActivityActions } from './scaling-activity.ts';
import { secretActions } from './secret.ts';
import { securityGroupActions } from './security-group.ts';
import { snapshotActions } from './snapshot.ts';
import { spotActions } from './spot.ts';
import type { Handler } from './state.ts';
import { sessionActions } from './sts.ts';
import { subnetActions } from './subnet.ts';
import { tagActions } from './tag-actions.ts';
import { targetGroupActions } from './target-group.ts';
import { volumeActions } from './volume.ts';
import { vpcActions } from './vpc.ts';
import { vpcEndpointActions } from './vpc-endpoint.ts';

export const actions: { [A in CloudAction]: Handler<A> } = {
  ...addressActions,
  ...alarmActions,
  ...autoScalingGroupActions,
  ...carrierGatewayActions,
  ...classicLoadBalancerActions,
  ...egressOnlyInternetGatewayActions,
  ...eksAccessEntryActions,
  ...eksAddonActions,
  ...eksClusterActions,
  ...eksNodegroupActions,
  ...identityActions,
  ...imageActions,
  ...instanceActions,
  ...instanceRefreshActions,
  ...instanceStatusActions,
  ...instanceTypeActions,
  ...internetGatewayActions,
  ...ipamActions,
  ...launchTemplateActions,
  ...launchActions,
  ...beginActions,
  ...lifecycleHookActions,
  ...listenerActions,
  ...loadBalancerActions,
  ...natGatewayActions,
  ...networkInterfaceActions,
  ...parameterActions,
  ...priceListActions,
  ...quotaActions,
  ...regionActions,
  ...roleActions,
  ...routeTableActions,
  ...scalingActivityActions,
  ...secretActions,
  ...securityGroupActions,
  ...snapshotActions,
  ...spotActions,
  ...sessionActions,
  ...subnetActions,
  ...tagActions,
  ...targetGroupActions,
  ...volumeActions,
  ...vpcEndpointActions,
  ...vpcActions,
};

export const actionNames: readonly string[] = Object.keys(actions);
