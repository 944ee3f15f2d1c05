/** Errors that several actions share, with the services' messages. */
import { CloudError } from '../../kinds/ports/cloud/index.ts';

export const refuse = (code: string, message: string): never => {
  throw new CloudError(code, message);
};

export const invalidParameter = (message: string): never => refuse('InvalidParameterValue', message);
export const missingParameter = (name: string): never =>
  refuse('MissingParameter', `The request must contain the parameter ${name}`);
export const dependencyViolation = (message: string): never => refuse('DependencyViolation', message);
export const tokenMismatch = (): never =>
  refuse(
    'IdempotentParameterMismatch',
    'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
  );
/** The load balancing API's error for a malformed request. */
export const validationError = (message: string): never => refuse('ValidationError', message);
