/** Throttles requests as AWS does, with each service's own error. */
import { type CloudAction, CloudError } from '../../kinds/ports/cloud/index.ts';
import { drawsOf, serviceOf } from '../../kinds/ports/cloud-limits.ts';
import type { Call } from './state.ts';

export interface Throttle {
  /** Takes the tokens of one request, or throws the service's error. */
  admit(call: Call, action: CloudAction, input: Record<string, unknown>): void;
}

export const createThrottle = (): Throttle => {
  const levels = new Map<string, { tokens: number; at: number }>();
  return {
    admit: ({ account, region, now }, action, input) => {
      if (!account.behaviour.throttling) return;
      const draws = drawsOf(action, input).map((draw) => {
        const name = `${region}/${draw.bucket}`;
        const level = levels.get(name) ?? { tokens: draw.limits.capacity, at: now };
        const refilled = level.tokens + ((now - level.at) / 1000) * draw.limits.refill * account.speed;
        return { ...draw, name, available: Math.min(draw.limits.capacity, refilled) };
      });
      const granted = draws.every(({ available, tokens }) => available >= tokens);
      for (const { name, available, tokens } of draws)
        levels.set(name, { tokens: granted ? available - tokens : available, at: now });
      if (granted) return;
      switch (serviceOf(action)) {
        case 'ec2':
          throw new CloudError('RequestLimitExceeded', 'Request limit exceeded.');
        case 'iam':
        case 'autoscaling':
          throw new CloudError('Throttling', 'Rate exceeded');
        case 'tag':
          throw new CloudError('ThrottledException', 'Rate exceeded');
        case 'servicequotas':
          throw new CloudError('TooManyRequestsException', 'Rate exceeded');
        case 'elasticloadbalancing':
        case 'secretsmanager':
        case 'ssm':
        case 'pricing':
          throw new CloudError('ThrottlingException', 'Rate exceeded');
      }
    },
  };
};
