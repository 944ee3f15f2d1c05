/** The token that a Secret holds, by whose digest the store finds the Secret. Pure. */

import type { KubeObject } from '../../machinery/api/object.ts';
import { storedTokenId } from '../../machinery/api/service-account.ts';
import { webhookTokenId } from './webhook-token.ts';

export const secretTokenId = (secret: KubeObject): string | undefined =>
  webhookTokenId(secret) ?? storedTokenId(secret);
