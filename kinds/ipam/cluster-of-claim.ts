import { labels } from '../common/labels.ts';
import type { IPAddressClaim } from './ip-address-claim/schema.ts';

/** The Cluster that a claim belongs to, if it names one. */
export const clusterOfClaim = ({ metadata, spec }: IPAddressClaim): string | undefined =>
  spec?.clusterName ?? metadata.labels?.[labels.cluster];
