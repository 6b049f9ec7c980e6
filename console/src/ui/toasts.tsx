import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';

const SHOWN_MS = 6_000;

const Context = createContext<(text: string) => void>(() => undefined);

/** Short messages about what has been done, which are read out as well. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { readonly id: number; readonly text: string }[]>([]);
  const show = useCallback((text: string) => {
    const id = performance.now();
    setToasts((shown) => [...shown.filter((toast) => toast.text !== text), { id, text }]);
    setTimeout(() => setToasts((shown) => shown.filter((toast) => toast.id !== id)), SHOWN_MS);
  }, []);
  return (
    <Context value={show}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </Context>
  );
}

export function useToast(): (text: string) => void {
  return useContext(Context);
}
