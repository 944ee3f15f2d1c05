import type { InternetGateway } from '../../../ports/cloud.ts';

export const isAttachedTo =
  (vpcId: string | undefined) =>
  ({ Attachments }: InternetGateway): boolean =>
    Attachments.some(({ VpcId }) => VpcId === vpcId);

/** Of those that were made for a network, the one that it uses. */
export const usedGateway = (all: readonly InternetGateway[], vpcId: string | undefined): InternetGateway | undefined =>
  all.find(isAttachedTo(vpcId)) ?? all[0];
