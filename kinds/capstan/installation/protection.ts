/** Nobody makes it again while the control plane runs, and all that looks at the account by page looks for it. */
export const refuseDelete = (): string => 'it is this control plane itself, which looks after the account by it';
