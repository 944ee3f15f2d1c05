import type { InternetGateway } from '../../../ports/cloud.ts';

export const isAttachedTo =
  (vpcId: string | undefined) =>
  ({ Attachments }: InternetGateway): boolean =>
    Attachments.some(({ VpcId }) => VpcId === vpcId);

/** The internet gateway in use, out of those created for a network. */
export const usedGateway = (all: readonly InternetGateway[], vpcId: string | undefined): InternetGateway | undefined =>
  all.find(isAttachedTo(vpcId)) ?? all[0];
