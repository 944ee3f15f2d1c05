declare module 'asl-validator' {
  /** Mutates the definition: adds defaults. */
  export default function validate(definition: unknown): {
    isValid: boolean;
    errorsText: (separator?: string) => string;
  };
}
