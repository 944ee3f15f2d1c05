import type { SourceFault } from '../../kinds/ports/sources.ts';

/** Why there is no file, for the user who named it. */
export class SourceFailed extends Error {
  readonly fault: SourceFault;
  constructor(fault: SourceFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
